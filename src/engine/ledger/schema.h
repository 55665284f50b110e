/* Schema `pruned` in steps (schemas/postgres/NNN-name.sql, forward only), and the indexes on the
 * application's tables that jobs' cursors want (`indexes.sql` of a job's folder).
 *
 * Invariant: a step and its row in pruned.schema_version commit together; two who migrate at once
 * take turns.
 *
 * Threads: a Pg belongs to one. Ownership: said at each function.
 */
#pragma once
#include "engine/job/job.h"

#define SCHEMA_POSTGRES_LEAST 140000 /* server_version_num */

/* The step that this binary wants. */
int schema_wanted (void);

/* The schema is there and neither older than wanted nor newer, unless its steps say that this
 * program may still work with it
 * (`-- compatible_from: N` in a step's file, kept in pruned.schema_version: the oldest program, by
 * the step that it wants; a step without it wants one that knows it). PRUNED_FATAL with the remedy;
 * else as PostgreSQL says. */
gboolean schema_check (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for what touches only tables and columns that every version has: newer is as good. */
gboolean schema_check_there (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Applies the steps that are missing, each in a transaction; DRY_RUN only says which. VISIT gets
 * each with its text. */
typedef void (*SchemaVisit) (const char *step, const char *text, gpointer data);
gboolean schema_upgrade (Pg *pg, gboolean dry_run, SchemaVisit visit, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* --- indexes
 * ---------------------------------------------------------------------------------------- */
typedef enum {
  INDEX_THERE,
  INDEX_MISSING,
  INDEX_INVALID, /* left over by a CREATE INDEX CONCURRENTLY that failed: dropped and made anew */
  INDEX_NO_TABLE
} IndexState;

typedef struct {
  const Job *job;     /* the first one that wants it */
  char *name, *table; /* as written */
  IndexState state;
  char *create, *drop; /* statements, names quoted by PostgreSQL */
} WantedIndex;

/* Of all JOBS, as it is now. An array of WantedIndex; g_ptr_array_unref it. NULL: PRUNED_FATAL if a
 * file is not understood, else as PostgreSQL says. */
GPtrArray *schema_indexes (Pg *pg, const Jobs *jobs, GError **error);

/* Makes it, outside a transaction, as long as it takes. */
gboolean schema_index_make (Pg *pg, const WantedIndex *index, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* A warning for each index that a cursor wants and does not have. */
void schema_warn_indexes (Pg *pg, const Jobs *jobs);
