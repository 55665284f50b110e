/* A statement whose named parameters are numbered. For this folder; others use pg.h.
 * Threads: any, read-only once made. Ownership: statements live as long as the process.
 */
#pragma once
#include "pg/pg.h"

struct _PgStatement {
  char *name;
  char *sql;
  int lines_before;  /* lines of the text before it: comments */
  char **parameters; /* in the order of $1, $2, ... */
  guint n_parameters;
  gboolean *lists;  /* which parameters are unnested */
  PgStatement *few; /* the same for short lists: planned once, whatever their length; NULL: none */
  gboolean anew;    /* planned for its values each time: never prepared */
  gboolean reads;   /* it is to change nothing */
  char *changes;    /* the table whose rows it changes, "" if that is not known; NULL: it runs no
                       trigger of the application, as far as its text shows */
  char on_server[32]; /* its name in a session; derived from its text, so equal names always mean
                         equal statements */
};

/* STATEMENT, or `few` of it if all its lists are short. */
const PgStatement *pg_statement_for (const PgStatement *statement, const char *const *bound);

/* Fills BOUND with the values in the statement's order, borrowed from VALUES. PRUNED_RETRY names a
 * parameter without a value. */
gboolean pg_values_bind (const PgValues *values, const PgStatement *statement, const char **bound,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
