/* Schema `pruned` in steps (schemas/postgres/NNN-name.sql, forward only), and the indexes on the
 * application's tables that jobs' cursors need (`indexes.sql` of a job's folder).
 *
 * Invariant: a step and its row in pruned.schema_version commit together; two migrations at once
 * take turns.
 *
 * Threads: a Pg belongs to one. Ownership: see each function.
 */
#pragma once
#include "engine/job/job.h"

#define SCHEMA_POSTGRES_LEAST 140000 /* server_version_num */

/* The last step that this binary knows and requires. */
int schema_wanted (void);

/* Checks that the schema exists and has the wanted step, or a newer one that still supports this
 * program. (A step's file can say `-- compatible_from: N`, kept in pruned.schema_version: the
 * oldest program, by the step that it wants, that can work with the step. Without it a program
 * must know the step.) PRUNED_FATAL with the remedy; else an error of PostgreSQL. */
gboolean schema_check (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for commands that touch only tables and columns that every version has: any newer
 * schema will do. */
gboolean schema_check_there (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whose schema pruned is besides the role's (`:role`). */
#define SCHEMA_STRANGERS "src/engine/ledger/sql/schema_strangers.sql"

/* Applies the missing steps, each in a transaction; DRY_RUN only lists them. PRUNED_FATAL with the
 * owner's name if the schema, or something in it, belongs to somebody else. */
typedef struct {
  /* Each step with its text, when it is committed. */
  void (*visit) (const char *step, const char *text, gpointer data);
  /* In the step's transaction. ANEW: there was no schema before these steps. */
  gboolean (*note) (Pg *pg, const char *step, gboolean anew, gpointer data, GError **error);
  gpointer data;
} SchemaVisitor;
gboolean schema_upgrade (Pg *pg, gboolean dry_run, const SchemaVisitor *visitor, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* --- indexes --- */
typedef enum {
  INDEX_THERE,
  INDEX_MISSING,
  INDEX_INVALID, /* left by a CREATE INDEX CONCURRENTLY that failed: dropped and made again */
  INDEX_NO_TABLE
} IndexState;

typedef struct {
  const Job *job;     /* the first job that needs it */
  char *name, *table; /* as written */
  IndexState state;
  char *create, *drop; /* statements, names quoted by PostgreSQL */
} WantedIndex;

/* The indexes of all JOBS with their state. An array of WantedIndex; g_ptr_array_unref it. NULL:
 * PRUNED_FATAL if a file cannot be parsed, else an error of PostgreSQL. */
GPtrArray *schema_indexes (Pg *pg, const Jobs *jobs, GError **error);

/* Makes the index, outside a transaction and without a time limit. */
gboolean schema_index_make (Pg *pg, const WantedIndex *index, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Logs a warning for each missing index of a cursor. */
void schema_warn_indexes (Pg *pg, const Jobs *jobs);
