/* The interface for jobs written in C. Most jobs need none of it: see docs/adding-a-job.md.
 *
 * A step is one transaction. The engine begins it and has checked that the run is at this step. The
 * job runs its folder's SQL files, reports what happened, and returns. The engine commits audit,
 * children, messages and the run's advance in the same transaction, and publishes afterwards.
 *
 * Invariant: a step function has no effects except through this header, so that it can be rolled
 * back and run again at any line.
 *
 * Threads: a step function runs on a worker; unless a function says otherwise, it must not be
 * called from another thread.
 * Ownership: each function says what it takes or returns; the Step owns its arguments and cursor.
 */
#pragma once
#include "pruned/error.h"
#include "pruned/json.h"
#include "pruned/log.h"
#include "pruned/rows.h"

typedef struct _Step Step;

/* The next step of each of N runs, in one transaction; one is the smallest set, and the only one
 * unless JobCode.sets. FALSE with an error: the step is rolled back, and the error's verdict
 * decides what follows; of several, each is then tried alone. Of several, the SQL functions are
 * called with the first one, and what came of each is reported with its own; FITS (of N, all true):
 * set to false for those that must be done alone, before anything is changed for them. */
typedef gboolean (*JobStepFunc) (Step *const *steps, guint n, gboolean *fits, GError **error);
/* The rows KEYS (array literal) of a page (step_page) are about to be deleted: removes what lies
 * below them in other tables, and counts it (step_count_beside). It is rolled back with the page,
 * or with a try of it, as its counts are. The lock files have locked these rows. */
typedef gboolean (*JobBelowFunc) (Step *step, const char *keys, GError **error);
/* Counts (step_count_beside) what the run of STEP would delete or change beside the rows that
 * count.sql counts, from here on. It only reads, and locks nothing. */
typedef gboolean (*JobForeseeFunc) (Step *step, GError **error);
/* Adds plan lines (step_plan_line), read-only. Called once for a plan: it walks through all pages.
 */
typedef gboolean (*JobPlanFunc) (Step *step, GError **error);

/* --- the run --- */
const char *step_run_id (const Step *step);
int step_number (const Step *step);
const json_t *step_args (const Step *step);                /* an object */
const char *step_arg (const Step *step, const char *name); /* as text; NULL: not given */
const json_t *step_cursor (const Step *step);              /* NULL on the first step */
gint64 step_elapsed_us (const Step *step);                 /* monotonic, since the step began */
gint64 step_setting (const Step *step, const char *key);   /* an integer of [jobs.<name>] */
/* How many rows this step may touch: MOST, or fewer if an earlier step or attempt took too long
 * (step_is_cut). In the latter case the limit counts the rows of all tables together, down to one
 * row a step. The engine lowers and raises the limit; the cursor need not carry it. */
gint64 step_limit (Step *step, gint64 most);
gboolean step_is_cut (const Step *step);
/* How many rows an errand may lease before a limit of the job is reached (max_rows and the others);
 * G_MAXINT64: any number. */
gint64 step_room (const Step *step);
/* Announces that the next statements touch ROWS rows: if they take too long, the next attempt has
 * half of these as its limit. Without this call: half of the limit. */
void step_tries (Step *step, gint64 rows);
/* For a job that handles a cut itself, because its lease would be lost: was CAUSE too many rows? */
gboolean step_is_too_slow (const Step *step, const GError *cause);
/* Reports that this step worked with LIMIT. */
void step_cut (Step *step, gint64 limit);
gboolean step_setting_bool (const Step *step, const char *key);
const char *step_setting_text (const Step *step, const char *key);
const char *step_setting_text_of (const Step *step, const char *job,
                                  const char *key); /* of another job's section */
gboolean step_is_plan (const Step *step);           /* read-only: no locks, no effects */

/* --- SQL ---
 *
 * FILE is relative to the job's folder, without `.sql`; `../shared/x` names a file that jobs share.
 * Parameters: pairs of name and text (NULL text: SQL null), closed by NULL; `scheduled_at`, `args`
 * and `run_id` are always bound. Lists are PostgreSQL array literals (rows_array). The caller owns
 * the rows. */
PgRows *step_query (Step *step, GError **error, const char *file, ...) G_GNUC_NULL_TERMINATED;

/* A statement that changes rows. The file's name gives table and kind (`apply/removed/10-members`,
 * `20-todos.update`, `30-x.insert`). Writes the audit, then returns `key` and `row` as the file
 * says, and its other columns. */
PgRows *step_apply (Step *step, GError **error, const char *file, ...) G_GNUC_NULL_TERMINATED;

/* step_apply under a savepoint. If a row is at fault, or held by another session after
 * step_passes_busy (step_is_held), returns NULL without an error; *REASON (g_free it) says why, and
 * nothing has changed. */
PgRows *step_try (Step *step, char **reason, GError **error, const char *file, ...)
    G_GNUC_NULL_TERMINATED;

/* As step_query and step_apply, for a statement's text that PostgreSQL made from catalogue names
 * with format('%I'). The latter returns `key` only. ACTION: "deleted" or "updated". */
PgRows *step_query_text (Step *step, GError **error, const char *sql, ...) G_GNUC_NULL_TERMINATED;
PgRows *step_apply_text (Step *step, GError **error, const char *table, const char *action,
                         const char *sql, ...) G_GNUC_NULL_TERMINATED;

/* As step_query, for a FILE that reads only the catalogue: the connection caches the rows under
 * STAMP (../shared/catalogue.sql). The engine owns the rows; they are valid until the step ends. */
const PgRows *step_query_kept (Step *step, const char *stamp, GError **error, const char *file, ...)
    G_GNUC_NULL_TERMINATED;

/* As step_query, for a FILE that is asked once in a transaction, which steps of several runs can
 * share. */
const PgRows *step_query_once (Step *step, GError **error, const char *file, ...)
    G_GNUC_NULL_TERMINATED;

/* Several statements in one round trip: queue them, then step_send returns the rows of each in this
 * order (of PgRows; unref it). The first that fails ends it. No other statement may run in between.
 * Steps that share a transaction also share what is queued: one of them sends it for all. */
gboolean step_queue (Step *step, GError **error, const char *file, ...) G_GNUC_NULL_TERMINATED
G_GNUC_WARN_UNUSED_RESULT;
gboolean step_queue_text (Step *step, GError **error, const char *sql, ...) G_GNUC_NULL_TERMINATED
G_GNUC_WARN_UNUSED_RESULT;
/* COLUMNS: which columns of FILE to return. NULL, and always for a text: one row with `n`, the
 * number of rows, so that rows that are not read do not leave the server.
 *
 * Of several runs, a row is audited as of its own if the pairs have `audit.owner`, the column of a
 * row that says whose it is, and `audit.key`, `audit.run_id` and `audit.step`, lists of equal
 * length. Then one row returns, with `n` and `owned`, the number of rows that have such a run; FILE
 * is no `.insert`. */
gboolean step_queue_apply (Step *step, GError **error, const char *columns, const char *file, ...)
    G_GNUC_NULL_TERMINATED G_GNUC_WARN_UNUSED_RESULT;
gboolean step_queue_apply_text (Step *step, GError **error, const char *table, const char *action,
                                const char *sql, ...) G_GNUC_NULL_TERMINATED
G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *step_send (Step *step, GError **error);
/* Handles the page of KEYS (array literal of bigint): lock/, decide.sql, apply/<what>/,
 * children.sql, outcomes, counters and log lines, in this order, with savepoint, bisection and
 * quarantine of bad keys. Further parameters for all these files follow as pairs. Returns the rows
 * of decide.sql (all keys); step_what says what became of each: "failed" if the row was refused.
 * NULL with an error: the step must return FALSE. */
PgRows *step_page (Step *step, GError **error, const char *keys, ...) G_GNUC_NULL_TERMINATED;
const char *step_what (Step *step, const PgRows *decided, int row);

/* --- rows that other sessions hold --- */
/* From here on the step does without them: step_page passes over keys whose rows are held, after a
 * bounded wait, and does not return them. If most of the page is held, it returns NULL without an
 * error, nothing has changed, and step_is_held. Without this call such a step fails, and its run
 * waits. */
void step_passes_busy (Step *step);
gboolean step_is_busy (const Step *step, const char *key); /* step_page has passed it over */
/* step_page has left KEY because it is held, or a row that would go with it: no failure. */
gboolean step_is_kept (const Step *step, const char *key);
gboolean step_is_held (const Step *step); /* so ended the last step_page or step_try */
/* For a job that finds such rows itself: has CAUSE met one of them? */
gboolean step_is_lock (const Step *step, const GError *cause);
/* ITEM is held, as WHY says (NULL: as step_is_held was told). It is no failure: the quarantine has
 * it as `busy`, due at once. */
void step_pass_over (Step *step, const char *item, const char *why);
/* Nothing is left to do but what was passed over in this run: it begins once more with CURSOR
 * (taken, can be NULL) after a while, or ends if it has done so twice. */
void step_look_again (Step *step, json_t *cursor);

/* --- results --- */
void step_count (Step *step, const char *counter, gint64 n); /* adds; "updated_rows" too */
/* N rows of TABLE, as SQL writes it, are deleted (else: changed) beside the job's own, because a
 * foreign key would do it: they count for its limits, and stand in its result. */
void step_count_beside (Step *step, const char *table, gboolean deleted, gint64 n);
void step_reason (Step *step, const char *reason); /* result.reason */
/* An outcome RECORD (`UserDeleted`) about ENTITY (decimal text). FIELDS (taken) without run_id and
 * step. */
void step_outcome (Step *step, const char *record, const char *entity, json_t *fields);
/* One outcome for each row. Its fields are the columns of the same name; CONSTANTS (can be NULL,
 * borrowed) supply the rest. ENTITY: the column with the entity. */
void step_outcomes (Step *step, const char *record, const PgRows *rows, const char *entity,
                    const json_t *constants);
/* The same for one row. */
void step_outcome_row (Step *step, const char *record, const PgRows *rows, int row,
                       const char *entity, const json_t *constants);
/* Starts a child run after DELAY_MS (0: at once). ARGS is taken. UNIQUE_KEY can be NULL. Counted as
 * `scheduled` or `already_running` when the step ends. */
void step_child (Step *step, const char *job, json_t *args, const char *child_key,
                 const char *unique_key, gint64 delay_ms);
/* Puts an item that failed into quarantine, with its attempts and the time of its next retry. After
 * PARK_AFTER attempts it is parked (0: at once). Committed with the step. */
void step_quarantine (Step *step, const char *item, const char *reason, int park_after);
void step_unquarantine (Step *step, const char *item);
/* A log line, written after the commit; `job` and `run_id` are added. FIELDS is taken, can be NULL.
 */
void step_log (Step *step, LogLevel level, const char *message, json_t *fields);

/* The run continues with CURSOR (taken) after DELAY_MS; without this call it has finished. */
void step_continue (Step *step, json_t *cursor, gint64 delay_ms);
/* The next step is small enough for the same transaction, if runs share one. Call it only if both
 * steps may be rolled back together: this step then stands only if the next one does. */
void step_may_follow (Step *step);
/* The run continues with CURSOR (taken) after DELAY_MS because of REASON (a store is down): a
 * back-off without a charged attempt. */
void step_wait (Step *step, const char *reason, json_t *cursor, gint64 delay_ms);
/* Adds to the histogram of ages at deletion, after the commit. */
void step_observe_age (Step *step, double seconds);
/* Fails the step although no statement failed (e.g. a refusal that must be retried). Sets the error
 * and returns FALSE. */
gboolean step_fail (Step *step, GError **error, PrunedVerdict verdict, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Something that the job needs is missing: the run waits until it is there, uncharged. Sets the
 * error and returns FALSE. */
gboolean step_block (Step *step, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* ITEM (`members:1`), which is held, would go WITH what the step is about: nothing of it goes, and
 * the run waits until the row is released, uncharged. KIND: `hold` or `restored`, of the hold. Sets
 * the error and returns FALSE. */
gboolean step_keep (Step *step, GError **error, const char *kind, const char *item,
                    const char *with);
/* Rows are held, of whatever table: what could take one along goes by itself. */
gboolean step_rows_are_held (const Step *step);
/* The row KEY of TABLE is about to go, with what foreign keys delete, and without what they would
 * empty. FALSE: a held row is below it, and stays with it (step_keep). */
gboolean step_keeps_below (Step *step, const char *table, const char *key, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Repeats the step at once and uncharged, in a new transaction; the lease stays. Sets the error and
 * returns FALSE. */
gboolean step_again (Step *step, GError **error);

/* --- plan --- */
void step_plan_line (Step *step, const char *table, const char *key, const char *action,
                     const char *reason);

/* --- jobs that use another service than PostgreSQL ---
 *
 * An errand has three parts, so that no transaction is open while a store is slow and no worker
 * waits for it: lease (a short transaction), act (on other threads), settle (the transaction that
 * ends the step). If the process dies in between, the lease expires. */
typedef struct _Errand Errand;
/* Each part is about the steps of N runs, which share the two transactions. What comes of a Step
 * must be what would have come of it alone. If N > 1 and a part returns FALSE, everything is rolled
 * back and each step goes alone; nothing is charged. */
typedef struct {
  /* Leases the work of act, which is committed before act begins: fills in what each has leased.
   * The engine owns that and passes it on. FALSE with an error: the step has failed. */
  gboolean (*lease) (Step *const *steps, guint n, gpointer *leased, GError **error);
  /* Where foreign keys or triggers change rows beside those of the job's table: changes what settle
   * would change of STEP if all of its work succeeded, and counts it; that is rolled back. What
   * PostgreSQL refuses changes nothing, and is left to settle. NULL: lease has counted. */
  gboolean (*attempt) (Step *step, gpointer leased, GError **error);
  /* Starts the work on threads of its own and returns at once; calls errand_done exactly once for
   * each when its work has ended. */
  void (*act) (gpointer *leased, Errand *const *errands, guint n);
  /* The process stops or loses the partition: act must end soon. Sets a flag, calls nothing back.
   * Thread: any. */
  void (*cancel) (gpointer leased);
  /* Nothing has failed, and nothing was left: it can be settled with others. NULL: there is never
   * more than one step. */
  gboolean (*is_plain) (gpointer leased);
  /* As a JobStepFunc, with the results that act has left in LEASED. */
  gboolean (*settle) (Step *const *steps, gpointer *leased, guint n, GError **error);
  GDestroyNotify free;
} JobErrand;
/* Thread: any. The errand must not be touched afterwards. */
void errand_done (Errand *errand);

/* --- registration: one table in src/jobs/jobs.c --- */
typedef struct {
  const char *name;
  JobStepFunc step;
  JobPlanFunc plan;        /* NULL: page + decide; a job with a plan and no step is a page job */
  const JobErrand *errand; /* instead of step */
  gboolean sets;           /* `step` takes several runs; else each is stepped by itself */
  JobBelowFunc below;      /* beside step or pages; NULL: nothing, so keys delete such rows */
  JobForeseeFunc foresee;  /* beside count.sql; NULL: there is nothing else to count */
  /* A file that is run in the transaction that records the failure, if a step fails and is charged
   * (e.g. to clear a mark), and if a run ends outside its steps: it is dead, or was discarded.
   * `error` and `state` (waiting, dead; skipped: it was discarded) are bound besides the usual
   * parameters. Returned rows with `level` and `message` are log lines; their other columns are the
   * fields. NULL: none. */
  const char *on_failure;
  gboolean uses_bucket; /* its objects can be in the bucket of [store.object] */
} JobCode;
