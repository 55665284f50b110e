/* `pruned check`: looks at jobs before they run. Each check adds a finding with its place. Checks
 * change nothing; --apply runs a page in a transaction that is rolled back.
 *
 * Invariant: the exit code is that of the first finding that is an error; warnings do not change
 * it.
 *
 * Threads: main only. Ownership: the Check owns its findings and its connection.
 */
#pragma once
#include "cli/cli.h"
#include "engine/step/step.h"

typedef struct {
  Cli *cli;
  Pg *pg;
  const Job *job; /* that is looked at */
  GPtrArray *findings;
  GPtrArray *texts; /* of char: of places */
} Check;

/* Where a finding is. */
typedef struct {
  const char *file; /* NULL: the job as a whole */
  int line;         /* from 1; 0: the file as a whole */
} CheckPlace;

/* Adds a finding without a problem. */
void check_ok (Check *check, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Adds a warning or an error. REMEDY is a command to copy, or NULL. */
void check_warn (Check *check, const char *name, CheckPlace place, const char *remedy,
                 const char *format, ...) G_GNUC_PRINTF (5, 6);
void check_error (Check *check, ExitCode code, const char *name, CheckPlace place,
                  const char *remedy, const char *format, ...) G_GNUC_PRINTF (6, 7);

/* Runs a statement in a read-only transaction of its own. NULL: it failed, which is a finding. */
PgRows *check_ask (Check *check, const char *name, const char *file, const PgValues *values);
/* Where the section of a sentence is. */
CheckPlace check_place (Check *check);
/* How many findings about the job are errors. */
guint check_errors (const Check *check);

/* A run that does not exist, due now; run_free it. */
Run *check_run (const Job *job);
/* The rows of page.sql for LIMIT keys and one more, in the connection's transaction. */
PgRows *check_page_rows (Check *check, Step *step, int limit, GError **error);

/* Large tables that PLAN (EXPLAIN's JSON) reads as a whole are findings; so is a condition of a
 * sentence that no index serves. */
void check_plan (Check *check, CheckPlace place, const char *plan);
void check_where (Check *check);

/* Applies the first N keys, and rolls back. */
ExitCode check_apply (Check *check, gint64 n, GError **error);

/* The checks of one job, in this order. */
void check_statements (Check *check); /* PostgreSQL takes each; large tables are read by an index */
void check_page (Check *check);       /* its columns, its order, its cursor; what decide returns */
void check_partitions (Check *check); /* of a sentence that drops them, by check_tables */
void check_tables (Check *check);     /* rights, hidden rows, triggers, foreign keys, brakes */
