/* `pruned new`: what it finds in the database about a table (new_look.c, new_refers.c), and
 * the text that it makes of it (new_text.c).
 *
 * Threads: main only. Ownership: New has what look_* sets; new_clear frees that.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* The last: no condition, whole partitions go. */
typedef enum { NEW_GIVEN, NEW_BY_END, NEW_BY_AGE, NEW_BY_PARTITIONS } NewWhere;

#define NEW_OLDER_THAN "1 year"

typedef struct {
  const char *job;
  Sentence *sentence;      /* table, where, children */
  Catalogue *catalogue;    /* with all tables that refer to the rows */
  NewWhere by;             /* where `where` comes from: --where, or a column's name */
  const CatColumn *column; /* the one that `where` is about; NULL: not known. Borrowed */
  char *children;          /* the tables whose rows could go first instead; NULL: none blocks */
  gint64 rows, matching;   /* estimates; -1: not known */
  gint64 most;             /* more rows than the table can have */
  gboolean counted;        /* rows and matching are no estimates */
  gint64 below;            /* of tables whose rows go by a cascade; an estimate */
  gboolean all;            /* `where` asks nothing of a row */
  char *index;             /* that finds the rows; NULL: none */
  gboolean by_time;        /* it is partitioned by ranges of a time */
  char *unrecorded;        /* columns that the audit would not have; NULL: none */
  const char *bucket;      /* of [store.object]; "": none */
  const char *schema;      /* [postgres] app_schema */
  PgRows *outside;         /* columns that name what stays (check/sql/outside.sql) */
  const CatColumn *object; /* looks like the key of an object; NULL: none does */
} New;

void new_clear (New *new);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (New, new_clear)

/* Proposes `where` from the name of a column. FALSE: none offers itself. */
gboolean new_propose (New *new);
/* Which foreign keys block. */
void new_find_children (New *new);
/* What the condition asks besides, so that a row stays to which others refer: ` AND NOT EXISTS
 * (...)` of each foreign key that blocks. "": none does. g_free it. */
char *new_unless_referred (const New *new);
/* The tables (CatTable, borrowed) whose rows go: the own one, and those to which a cascade leads.
 * g_hash_table_unref it. */
GHashTable *new_tables_that_go (const New *new);
/* Rows of the parent of KEY go with the own ones: it is the own table, or a cascade leads there. */
gboolean new_goes_with (const New *new, const CatKey *key);
/* Whether whole partitions can go, in the open transaction. */
gboolean new_look_at_partitions (New *new, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets the columns that name what stays, and that of an object's key, in the open transaction. */
gboolean new_find_outside (New *new, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Rows and index, in the open transaction. */
gboolean new_look (New *new, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The file; g_free it. */
char *new_text (const New *new);
