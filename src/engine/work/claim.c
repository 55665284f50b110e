/* The fence locks the runs that messages name; those of them that must not be stepped now are put
 * back; messages of runs that others have locked may stay.
 *
 * Length: whatever can keep a claimed run from its step stands here, in its order.
 */
#include "engine/work/claim.h"

#include "base/clock.h"
#include "engine/job/arguments.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/sentence_again.h"
#include "engine/service/stats.h"
#include "engine/step/held_follow.h"
#include "engine/step/throttle.h"

#include <string.h>

#define LOCKED_US G_USEC_PER_SEC
#define OFF_US (5 * G_USEC_PER_SEC)
#define OTHER "blocked: begun with version "
#define THROTTLED_LEAST_MS 5000
#define THROTTLED_EACH_MS 50 /* many runs ask less often */
#define THROTTLED_MOST_MS 30000
#define WARN_EVERY_S 60
#define CLOCK_DAY_US G_TIME_SPAN_DAY /* a database clock further ahead than that is not trusted */

/* It has the columns by which events of its job name rows, no more and no fewer. */
static gboolean
has_columns (const Run *run)
{
  const json_t *rows = json_object_get (run->args, JOB_EVENT_ROWS);
  char **by = run->job->sentence != NULL ? run->job->sentence->by : NULL;
  gboolean ok = json_object_size (rows) == (by != NULL ? g_strv_length (by) : 0);
  for (; ok && by != NULL && *by != NULL; by++)
    ok = json_is_string (json_object_get (rows, *by));
  return ok;
}

/* A run about one row must not become one about the rows of a page, nor one about a row of another
 * table. */
static char *
event_refusal (const Run *run)
{
  const char *table = run->named_table;
  const gboolean known
      = table != NULL && *table != '\0'; /* else its job was refused, or is a child */
  if (job_event_of (run->job, run->args) != NULL && has_columns (run)
      && (!known || g_strcmp0 (run->job->table, table) == 0))
    return NULL;
  return g_strdup_printf ("job %s reads no event any more that names a row of %s", run->job->name,
                          known ? table : "a table");
}

/* A child of a sentence can be about one row as well; what the files of a folder make of arguments
 * is theirs. */
static gboolean
is_of_row (const Run *run)
{
  return run->named_table != NULL
         || (run->parent_id != NULL && run->job->sentence != NULL
             && (json_object_get (run->args, JOB_EVENT_KEY) != NULL
                 || json_object_get (run->args, JOB_EVENT_ROWS) != NULL));
}

/* An event of the program may have begun it: the event's fields are the arguments. */
static gboolean
may_be_of_event (const Job *job)
{
  gboolean any = job->by_event && !job_names_rows (job);
  for (guint i = 0; i < job->events->len; i++)
    any = any || ((const JobEvent *)job->events->pdata[i])->own == NULL;
  return any;
}

/* As when intake reads a tick. */
static char *
tick_refusal (const Run *run)
{
  if (may_be_of_event (run->job))
    return NULL;
  char *reason = job_ticks_refusal (run->job);
  g_autofree char *text = json_text (run->args);
  return reason != NULL ? reason : arguments_refusal (run->job, run->args, strlen (text));
}

/* Sets `wrong` of a run that its job does not take; of a tick's, when its first step begins. It was
 * placed by what some process knew of the job then, or by one that knew only its name
 * (ledger/elsewhere.h); and a run that has begun can go on with another version: one that waits for
 * its row (step/row_again.h), or that `pruned retry` repeats. */
static void
run_check_asked (Run *run)
{
  if (run->wrong != NULL || run->job->built_in)
    return;
  if (is_of_row (run))
    run->wrong = event_refusal (run);
  else if (run->first && run->parent_id == NULL && job_event_of (run->job, run->args) == NULL)
    run->wrong = tick_refusal (run);
}

static int
by_run_id (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Work *)a)->run_id, ((const Work *)b)->run_id);
}

static PgValues *
fence_values (const Job *job, const GArray *works)
{
  GString *ids = array_new (), *steps = array_new (), *attempts = array_new ();
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Work)); /* borrows */
  g_array_append_vals (sorted, works->data, works->len);
  g_array_sort (sorted, by_run_id);
  for (guint i = 0; i < sorted->len; i++) {
    const Work *work = &g_array_index (sorted, Work, i);
    array_add (ids, work->run_id);
    array_add_int (steps, work->step);
    array_add_int (attempts, work->attempt);
  }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "step", array_take (steps));
  pg_values_take (values, "attempt", array_take (attempts));
  return values;
}

/* --- runs that must not be stepped now --- */

/* Runs that wait, and of each what the statement is given. */
typedef struct {
  Claim *claim;
  GPtrArray *runs; /* of Run, owned */
  GString *until, *errors, *classes;
} Waits;

/* Run I of the claim waits until UNTIL_US by the database's clock (0: it is due as it was), and
 * says why: ERROR (NULL: what it said). CLASS: it waits for another process; NULL: for the time. */
static void
put_back (Waits *waits, guint i, gint64 until_us, const char *error, const char *class)
{
  Claim *claim = waits->claim;
  g_autofree char *until = until_us != 0 ? clock_format (until_us) : NULL;
  array_add (waits->until, until);
  array_add (waits->errors, error);
  array_add (waits->classes, class);
  g_ptr_array_add (waits->runs, g_ptr_array_steal_index (claim->runs, i));
  claim->waits++;
}

static void
put_back_all (Waits *waits, gint64 until_us, const char *error)
{
  for (guint i = waits->claim->runs->len; i-- > 0;)
    put_back (waits, i, until_us, error, NULL);
}

/* The database's clock. Call it while there are runs. */
static gint64
now_of (const Claim *claim)
{
  return ((const Run *)claim->runs->pdata[0])->now_us;
}

/* When RUN may be stepped at the earliest, if that is later than now; else -1. A run can be ready
 * too early because of an operator's command, or of a clock that was ahead. The database's clock
 * decides, unless it is more than a day ahead of this machine's. */
static gint64
early_until (const Run *run)
{
  gint64 earliest_us = run_earliest_us (run->job, run->scheduled_at_us, run->args);
  return earliest_us > MIN (run->now_us, clock_now_us () + CLOCK_DAY_US) ? earliest_us : -1;
}

static void
put_back_early (Waits *waits)
{
  for (guint i = waits->claim->runs->len; i-- > 0;) {
    const Run *run = waits->claim->runs->pdata[i];
    gint64 until_us = early_until (run);
    if (until_us < 0)
      continue;
    g_autofree char *time = clock_format (until_us);
    log_warning ("Run was ready before its time; waiting again", "job", run->job->name, "run_id",
                 run->run_id, "until", time);
    put_back (waits, i, until_us, NULL, NULL);
  }
}

/* The runs of a paused job are due as they were. Where it is off they say so: another process,
 * where the job is on, may send them here again. */
static void
put_back_paused (Waits *waits, const Job *job, gboolean paused)
{
  const gboolean on = in_force_is_on (job);
  if (!on && jobs_find (in_force_jobs (), job->name) != NULL && waits->claim->runs->len > 0)
    put_back_all (waits, now_of (waits->claim) + OFF_US, "mode off");
  else if (!on || paused)
    put_back_all (waits, 0, NULL);
}

/* In quiet hours, by the database's clock. */
static void
put_back_quiet (Waits *waits, const Job *job)
{
  const Claim *claim = waits->claim;
  const Hours *quiet = in_force_of (job)->quiet;
  gint64 end_us = quiet != NULL && claim->runs->len > 0 ? hours_end (quiet, now_of (claim)) : -1;
  if (end_us < 0)
    return;
  g_autofree char *until = clock_format (end_us);
  g_autofree char *n = g_strdup_printf ("%u", claim->runs->len);
  g_autofree char *why = g_strconcat ("quiet hours until ", until, NULL);
  log_info ("Quiet hours; runs wait for their end", "job", job->name, "runs", n, "until", until);
  put_back_all (waits, end_us, why);
}

/* JOB in the version that RUN began with; NULL: this process does not have it. A built-in job
 * changes with the program, which goes on with what an older one began. */
static const Job *
version_of (const Run *run, const Job *job)
{
  gboolean any = run->version == NULL || job->built_in || job->version == NULL;
  if (any || g_str_equal (run->version, job->version))
    return job;
  return jobs_version (in_force_jobs (), job->name, run->version);
}

/* Logs only once that a run waits for a process. */
static void
tell_version (const Run *run, const Job *job)
{
  if (run->range_of == NULL && (run->error == NULL || !g_str_has_prefix (run->error, OTHER)))
    log_warning ("Run began with a version of its job that this process does not have; it waits",
                 "job", job->name, "run_id", run->run_id, "begun", run->version, "here",
                 job->version, "remedy", "pruned retry, or pruned discard");
}

/* Each run gets the version of its job that it began with: its next page is found by the rules of
 * those before. */
static void
put_back_other_versions (Waits *waits, const Job *job)
{
  for (guint i = waits->claim->runs->len; i-- > 0;) {
    Run *run = waits->claim->runs->pdata[i];
    const Job *begun = version_of (run, job);
    if (begun != NULL) {
      run->job = begun->remember_days > 0 ? sentence_again_job (begun, run->args) : begun;
      run_check_asked (run);
      continue;
    }
    g_autofree char *why
        = g_strdup_printf (OTHER "%s, and this process has %s: bring the old one back, or pruned "
                                 "retry goes on with the new one",
                           run->version, job->version);
    tell_version (run, job);
    put_back (waits, i, run->now_us + G_TIME_SPAN_MINUTE, why, "version");
  }
}

/* Whether what keeps runs waiting has ended by the database's clock only. A clock that jumps must
 * not let rows go that somebody holds. DISPUTED: a pause of the job, or a hold. */
static gboolean
is_disputed (const Service *service, const Job *job, gint64 now_us, gboolean disputed)
{
  const Hours *quiet = in_force_of (job)->quiet;
  const gint64 ours_us = clock_now_us ();
  return disputed
         || (quiet != NULL && ABS (now_us - ours_us) > service->max_skew_us
             && hours_end (quiet, ours_us) >= 0);
}

static char *
why_disputed (const Job *job, gint64 now_us)
{
  char *why
      = g_strdup_printf ("clocks: the database's and this machine's differ by %" G_GINT64_FORMAT
                         " s, and by one of them a pause, a hold or quiet hours have not ended",
                         ABS (now_us - clock_now_us ()) / G_USEC_PER_SEC);
  log_warning_every (WARN_EVERY_S, job->name, "Runs wait", why);
  return why;
}

/* While a threshold of [throttle] is passed (step/throttle.h), or clocks disagree. */
static void
put_back_throttled (Waits *waits, const Service *service, const Job *job, gboolean disputed)
{
  const guint n = waits->claim->runs->len;
  if (n == 0)
    return;
  const gint64 now_us = now_of (waits->claim),
               delay_ms
               = MIN (THROTTLED_LEAST_MS + (gint64)THROTTLED_EACH_MS * n, THROTTLED_MOST_MS);
  ThrottleReason reason;
  disputed = is_disputed (service, job, now_us, disputed);
  g_autofree char *why = disputed ? why_disputed (job, now_us) : throttle_of (job, &reason);
  if (why == NULL)
    return;
  g_autofree char *error = g_strconcat ("throttled: ", why, NULL);
  put_back_all (waits, now_us + delay_ms * 1000, error);
  if (!disputed)
    stats_add (STATS_THROTTLED, job->name, throttle_words[reason], (double)delay_ms * n / 1000);
}

static gboolean
write_waits (Waits *waits, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (GPtrArray) runs = waits->runs;
  pg_values_take (values, "run_id", run_ids (runs));
  pg_values_take (values, "until", array_take (waits->until));
  pg_values_take (values, "error", array_take (waits->errors));
  pg_values_take (values, "class", array_take (waits->classes));
  if (runs->len == 0)
    return TRUE;
  g_autoptr (PgRows) written = pg_run_file (waits->claim->transaction.pg,
                                            "src/engine/work/sql/put_back.sql", values, error);
  return written != NULL;
}

/* FENCED: the answer of the fence, a row at least. What has begun is settled all the same. */
static gboolean
sort_out (Claim *claim, const Service *service, const Job *job, const PgRows *fenced,
          GError **error)
{
  Waits waits = { claim, g_ptr_array_new_with_free_func ((GDestroyNotify)run_free), array_new (),
                  array_new (), array_new () };
  put_back_early (&waits);
  if (!claim->settles) {
    put_back_paused (&waits, job, rows_bool (fenced, 0, "paused"));
    put_back_quiet (&waits, job);
    put_back_other_versions (&waits, job);
    put_back_throttled (&waits, service, job, rows_bool (fenced, 0, "disputed"));
  }
  return write_waits (&waits, error);
}

/* --- the fence --- */

/* Locks the runs that WORKS may step. Call right after transaction_begin. */
static gboolean
fence (Claim *claim, const Service *service, const Job *job, const GArray *works, GError **error)
{
  Transaction *transaction = &claim->transaction;
  Pg *pg = transaction->pg;
  g_autoptr (PgValues) values = fence_values (job, works);
  pg_values_take (values, "clock", clock_format (clock_now_us () + service->max_skew_us));
  if (!pg_queue (pg, pg_statement ("src/engine/work/sql/fence.sql"), values, error)
      || !pg_flush (pg, error))
    return FALSE;
  g_autoptr (PgRows) removed = transaction->sent != NULL ? pg_next (pg, error) : NULL;
  if (transaction->sent != NULL && removed == NULL)
    return FALSE;
  g_autoptr (PgRows) rows = pg_next (pg, error);
  if (rows == NULL || !pg_finish (pg, error))
    return FALSE;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  claim->runs = g_ptr_array_new_with_free_func ((GDestroyNotify)run_free);
  for (int i = 0; i < rows_count (rows); i++)
    if (g_hash_table_add (seen,
                          (gpointer)rows_text (rows, i, "run_id"))) /* a message can come twice */
      g_ptr_array_add (claim->runs, run_from_row (job, rows, i));
  return claim->runs->len == 0
         || ((!rows_bool (rows, 0, "holds") || held_follow (pg, job, error))
             && sort_out (claim, service, job, rows, error));
}

/* Should the lane keep the messages of locked runs? Some locks last milliseconds: another process's
 * dispatcher that comes too late to claim a due run, or intake that meets an overlapping tick. A
 * process that hangs holds its lock for longer: after LOCKED_US the message is dropped; once the
 * run is free, housekeeping finds that its message is missing. */
static gboolean
is_worth_waiting (Lane *lane, guint n_locked)
{
  gint64 now = clock_monotonic_us ();
  if (n_locked == 0
      || (lane->worker.locked_since_us != 0 && now - lane->worker.locked_since_us >= LOCKED_US)) {
    lane->worker.locked_since_us = 0;
    return FALSE;
  }
  if (lane->worker.locked_since_us == 0)
    lane->worker.locked_since_us = now;
  log_debug ("Run is locked by another transaction; its message waits", "job", lane->job->name);
  return TRUE;
}

/* The runs of WORKS that another transaction has locked, if LANE should keep their messages. NULL:
 * an error. */
static GHashTable *
find_locked (Claim *claim, Lane *lane, const GArray *works, GError **error)
{
  GHashTable *locked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (claim->runs->len + claim->waits < works->len) {
    g_autoptr (PgValues) values = fence_values (lane->job, works);
    g_autoptr (PgRows) rows = pg_run_file (claim->transaction.pg,
                                           "src/engine/work/sql/fence_locked.sql", values, error);
    if (rows == NULL) {
      g_hash_table_unref (locked);
      return NULL;
    }
    for (int i = 0; i < rows_count (rows); i++)
      g_hash_table_add (locked, g_strdup (rows_text (rows, i, "run_id")));
    for (guint i = 0; i < claim->runs->len; i++)
      g_hash_table_remove (locked, ((const Run *)claim->runs->pdata[i])->run_id);
  }
  if (!is_worth_waiting (lane, g_hash_table_size (locked)))
    g_hash_table_remove_all (locked);
  return locked;
}

gboolean
claim_runs (Claim *claim, Service *service, Pg *pg, const Job *job, Lane *lane, const GArray *works,
            GError **error)
{
  const char *first = g_array_index (works, Work, 0).run_id;
  *claim = (Claim){ .settles = lane == NULL || lane->list.errand != NULL };
  if (lane != NULL) /* before the fence: either the fence sees a stop, or the stop sees this lane */
    lane_note_run (service->lanes, lane, first);
  run_set_task (pg, job, first);
  if (!transaction_begin (&claim->transaction, service->publisher, pg, error)
      || !fence (claim, service, job, works, error)
      || (claim->runs->len > 0 && !run_set_task_of_range (pg, claim->runs->pdata[0], error)))
    return FALSE;
  if (lane == NULL)
    return TRUE;
  if ((claim->locked = find_locked (claim, lane, works, error)) == NULL)
    return FALSE;
  lane_note_run (service->lanes, lane,
                 claim->runs->len > 0 ? ((const Run *)claim->runs->pdata[0])->run_id : NULL);
  return TRUE;
}

void
claim_clear (Claim *claim)
{
  g_clear_pointer (&claim->runs, g_ptr_array_unref);
  g_clear_pointer (&claim->locked, g_hash_table_unref);
}
