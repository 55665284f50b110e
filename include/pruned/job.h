/* What the author of a job in C may see. Most jobs need none of it: see docs/adding-a-job.md.
 *
 * A step is one transaction, begun by the engine, which has checked that the run is at this step;
 * the job runs its folder's SQL files, says what happened, and returns. The engine commits audit,
 * children, messages and the run's advance with it, and publishes afterwards.
 *
 * Invariant: a step function has no effects but through this header, so that it can be rolled back
 * and run again at any line. Threads: a step function runs on a worker; nothing here may be called
 * from another thread. Ownership: what a function takes or returns is said at it; the Step owns its
 * arguments and cursor.
 */
#pragma once
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "pg/rows.h"

typedef struct _Step Step;

/* FALSE with an error: rolled back; the verdict says what next. */
typedef gboolean (*JobStepFunc) (Step *step, GError **error);
/* Adds plan lines (step_plan_line), read-only. Called once; earlier pages are its own business. */
typedef gboolean (*JobPlanFunc) (Step *step, GError **error);

/* --- what the run is
 * ------------------------------------------------------------------------------ */
const char *step_run_id (const Step *step);
const char *step_job (const Step *step);
int step_number (const Step *step);
gint64 step_scheduled_at_us (const Step *step);
const json_t *step_args (const Step *step);                /* an object */
const char *step_arg (const Step *step, const char *name); /* as text; NULL: not given */
const json_t *step_cursor (const Step *step);              /* NULL on the first step */
gint64 step_elapsed_us (const Step *step);                 /* monotonic, since the step began */
gint64 step_setting (const Step *step, const char *key);   /* an integer of [jobs.<name>] */
/* The rows that this step may touch: MOST, or fewer because an earlier try took too long
 * (step_is_cut). Then these are all that it may touch, of whatever table, so that one row is a step
 * at last. The engine halves and doubles it; a cursor need not carry it. */
gint64 step_limit (Step *step, gint64 most);
gboolean step_is_cut (const Step *step);
/* The next statements touch so many rows: if they take too long, half of them are tried. Without
 * it: half of the limit. */
void step_tries (Step *step, gint64 rows);
/* For a job that deals with it itself, because what it leased would be lost: did CAUSE come of too
 * many rows? And: this step had LIMIT. */
gboolean step_is_too_slow (const Step *step, const GError *cause);
void step_cut (Step *step, gint64 limit);
gboolean step_setting_bool (const Step *step, const char *key);
const char *step_setting_text (const Step *step, const char *key);
const char *step_setting_text_of (const Step *step, const char *job,
                                  const char *key); /* of another job's section */
gboolean step_is_plan (const Step *step);           /* read-only: no locks, no effects */

/* --- SQL
 * ---------------------------------------------------------------------------------------------
 * FILE is relative to the job's folder, without `.sql`; `../shared/x` reaches files that jobs
 * share. Parameters: pairs of name and text (NULL text: SQL null), closed by NULL; `scheduled_at`,
 * `args` and `run_id` are always there. Lists are PostgreSQL array literals (rows_array). Rows are
 * owned by the caller. */
PgRows *step_query (Step *step, GError **error, const char *file, ...) G_GNUC_NULL_TERMINATED;

/* A statement that changes rows: table and kind are those of the file's name
 * (`apply/removed/10-members`, `20-todos.update`, `30-x.insert`); returns `key` and `row` as the
 * file says, after the audit is written; other columns are returned too. */
PgRows *step_apply (Step *step, GError **error, const char *file, ...) G_GNUC_NULL_TERMINATED;

/* step_apply under a savepoint. A row is at fault: NULL without an error, *REASON (g_free it) says
 * why, and nothing has happened. */
PgRows *step_try (Step *step, char **reason, GError **error, const char *file, ...)
    G_GNUC_NULL_TERMINATED;

/* As step_query and step_apply, the latter with `key` alone, for a text that PostgreSQL made from
 * catalogue names with format('%I'). ACTION: "deleted" or "updated". */
PgRows *step_query_text (Step *step, GError **error, const char *sql, ...) G_GNUC_NULL_TERMINATED;
PgRows *step_apply_text (Step *step, GError **error, const char *table, const char *action,
                         const char *sql, ...) G_GNUC_NULL_TERMINATED;

/* As step_query, for a FILE that reads the catalogue only: what this connection knows since an
 * equal STAMP (../shared/catalogue.sql) is not asked again. The rows are the engine's, until the
 * step ends. */
const PgRows *step_query_kept (Step *step, const char *stamp, GError **error, const char *file, ...)
    G_GNUC_NULL_TERMINATED;

/* Several of them in one round trip: queued, then step_send returns the rows of each in this order
 * (of PgRows; unref it); the first that fails ends it. Nothing else may be asked in between. */
gboolean step_queue (Step *step, GError **error, const char *file, ...) G_GNUC_NULL_TERMINATED
G_GNUC_WARN_UNUSED_RESULT;
gboolean step_queue_text (Step *step, GError **error, const char *sql, ...) G_GNUC_NULL_TERMINATED
G_GNUC_WARN_UNUSED_RESULT;
/* What comes back: COLUMNS of FILE's, NULL: how many there were, as a row with `n`, as of a text.
 * Rows that nobody reads need not travel. */
gboolean step_queue_apply (Step *step, GError **error, const char *columns, const char *file, ...)
    G_GNUC_NULL_TERMINATED G_GNUC_WARN_UNUSED_RESULT;
gboolean step_queue_apply_text (Step *step, GError **error, const char *table, const char *action,
                                const char *sql, ...) G_GNUC_NULL_TERMINATED
G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *step_send (Step *step, GError **error);

/* lock/, decide.sql, apply/<what>/, children.sql, outcomes, counters and log lines for KEYS (array
 * literal of bigint), in this order, with savepoint, bisection and quarantine of bad keys. EXTRA:
 * further parameters for all these files, as pairs. Returns decide's rows (all keys); a row that
 * was refused has `what` = "failed": use step_rows_what. NULL with an error: the step must return
 * FALSE. */
PgRows *step_page (Step *step, GError **error, const char *keys, ...) G_GNUC_NULL_TERMINATED;
const char *step_what (Step *step, const PgRows *decided, int row);

/* --- what happened
 * ------------------------------------------------------------------------------------ */
void step_count (Step *step, const char *counter, gint64 n); /* adds; "updated_rows" too */
void step_reason (Step *step, const char *reason);           /* result.reason */
/* An outcome RECORD (`UserDeleted`) about ENTITY (decimal text). FIELDS without run_id and step;
 * taken. */
void step_outcome (Step *step, const char *record, const char *entity, json_t *fields);
/* One outcome a row whose fields are the columns of the same name; CONSTANTS (may be NULL,
 * borrowed) fill in. ENTITY: column. */
void step_outcomes (Step *step, const char *record, const PgRows *rows, const char *entity,
                    const json_t *constants);
/* The same for one row. */
void step_outcome_row (Step *step, const char *record, const PgRows *rows, int row,
                       const char *entity, const json_t *constants);
/* A child run. ARGS is taken. UNIQUE_KEY may be NULL. DELAY_MS from now; 0: at once. Counted as
 * `scheduled` or `already_running` when the step ends. */
void step_child (Step *step, const char *job, json_t *args, const char *child_key,
                 const char *unique_key, gint64 delay_ms);
/* An item that failed: kept with attempts and next try; PARK_AFTER tries it is parked (0: at once).
 * Committed with the step. */
void step_quarantine (Step *step, const char *item, const char *reason, int park_after);
void step_unquarantine (Step *step, const char *item);
/* A log line, written after the commit; `job`, `run_id` are added. FIELDS is taken, may be NULL. */
void step_log (Step *step, LogLevel level, const char *message, json_t *fields);

/* The run goes on with CURSOR (taken) after DELAY_MS; without this call it has finished. */
void step_continue (Step *step, json_t *cursor, gint64 delay_ms);
/* The run goes on with CURSOR (taken) after DELAY_MS because of REASON (a store is down): a
 * back-off, which nobody is charged for. */
void step_wait (Step *step, const char *reason, json_t *cursor, gint64 delay_ms);
/* For the histogram of ages at deletion; counted after the commit. */
void step_observe_age (Step *step, double seconds);
/* The step found out that it must fail though no statement did (e.g. a refusal that is to be
 * retried): returns FALSE and sets the error. */
gboolean step_fail (Step *step, GError **error, PrunedVerdict verdict, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Something that the job cannot do without is missing: the run waits until it is there, uncharged.
 * Returns FALSE and sets the error. */
gboolean step_block (Step *step, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same step once more, at once and uncharged, in a new transaction; what was leased stays.
 * Returns FALSE and sets the error. */
gboolean step_again (Step *step, GError **error);
/* Statements to run with the failure's own transaction if this step fails and is charged for it
 * (e.g. clearing a mark). FILE as above; `error` and `state` (waiting, dead) are bound beside what
 * always is. Rows that come back with `level` and `message` are lines for the log, their other
 * columns its fields. */
void step_on_failure (Step *step, const char *file);

/* --- plan
 * ---------------------------------------------------------------------------------------------- */
void step_plan_line (Step *step, const char *table, const char *key, const char *action,
                     const char *reason);

/* --- jobs that talk to something else than PostgreSQL
 * ------------------------------------------------ Three parts, so that no transaction is open
 * while a store is slow and no worker waits for it: lease (a short transaction), act (elsewhere),
 * settle (the transaction that ends the step). A process that dies in between leaves the lease to
 * run out. */
typedef struct _Errand Errand;
typedef struct {
  /* Takes what act is to do; committed before act begins. What it returns is handed on (ownership
   * too). NULL with an error: the step has failed. */
  gpointer (*lease) (Step *step, GError **error);
  /* Starts the work on threads of its own and returns at once; calls errand_done exactly once when
   * it has come to its end. */
  void (*act) (gpointer leased, Errand *errand);
  /* The process stops or loses the partition: act is to end soon. Sets a flag, calls nothing back.
   * Thread: any. */
  void (*cancel) (gpointer leased);
  /* As a JobStepFunc, with what act has left in LEASED. */
  gboolean (*settle) (Step *step, gpointer leased, GError **error);
  GDestroyNotify free;
} JobErrand;
/* Thread: any. The errand must not be touched afterwards. */
void errand_done (Errand *errand);

/* --- registration: one table in src/jobs/jobs.c
 * ---------------------------------------------------- */
typedef struct {
  const char *name;
  JobStepFunc step;
  JobPlanFunc plan;        /* NULL: page + decide; with a plan and no step it is a page job */
  const JobErrand *errand; /* instead of step */
} JobCode;
