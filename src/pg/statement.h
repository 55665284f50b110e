/* A statement whose named parameters have become numbers. For pipeline.c; everybody else: pg.h.
 * Threads: any, read-only once made. Ownership: they live as long as the process.
 */
#pragma once
#include "pg/pg.h"

struct _PgStatement {
  char *name;
  char *sql;
  char **parameters; /* in the order of $1, $2, ... */
  guint n_parameters;
  char on_server[32]; /* names it in a session; made from its text, so that the same name is the
                         same statement, whoever prepared it */
};

/* The texts in the statement's order, borrowed from VALUES. PRUNED_FATAL names one that is not
 * bound. */
gboolean pg_values_bind (const PgValues *values, const PgStatement *statement, const char **bound,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
