#include "engine/work/claim.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/work/throttled.h"
#include "engine/work/version.h"

#include <string.h>

#define LOCKED_US G_USEC_PER_SEC
#define CLOCK_DAY_US G_TIME_SPAN_DAY /* a database clock further ahead than that is not trusted */

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

/* When RUN may be stepped at the earliest, if that is later than now; else -1. A run can be ready
 * too early because of an operator's command, or of a clock that was ahead. The database's clock
 * decides, unless it is more than a day ahead of this machine's. */
static gint64
early_until (const Run *run)
{
  gint64 earliest_us = run_earliest_us (run->job, run->scheduled_at_us, run->args);
  return earliest_us > MIN (run->now_us, clock_now_us () + CLOCK_DAY_US) ? earliest_us : -1;
}

/* Removes early runs from RUNS and sets them waiting. */
static gboolean
put_back_early (Pg *pg, GPtrArray *runs, GError **error)
{
  GString *ids = array_new (), *times = array_new ();
  guint n = runs->len;
  for (guint i = n; i-- > 0;) {
    const Run *run = runs->pdata[i];
    gint64 until_us = early_until (run);
    if (until_us < 0)
      continue;
    g_autofree char *time = clock_format (until_us);
    log_warning ("Run was ready before its time; waiting again", "job", run->job->name, "run_id",
                 run->run_id, "until", time);
    array_add (ids, run->run_id);
    array_add (times, time);
    g_ptr_array_remove_index (runs, i);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "until", array_take (times));
  if (runs->len == n)
    return TRUE;
  g_autoptr (PgRows) put_back = pg_run_file (pg, "src/engine/work/sql/put_back.sql", values, error);
  return put_back != NULL;
}

/* In quiet hours all of RUNS wait for their end, and RUNS becomes empty. The database's clock
 * decides. */
static gboolean
put_back_quiet (Claim *claim, const Job *job, GPtrArray *runs, GError **error)
{
  const Hours *quiet = in_force_of (job)->quiet;
  gint64 end_us = quiet != NULL && runs->len > 0
                      ? hours_end (quiet, ((const Run *)runs->pdata[0])->now_us)
                      : -1;
  if (end_us < 0)
    return TRUE;
  g_autofree char *until = clock_format (end_us);
  g_autofree char *n = g_strdup_printf ("%u", runs->len);
  log_info ("Quiet hours; runs wait for their end", "job", job->name, "runs", n, "until", until);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", run_ids (runs));
  pg_values_set (values, "until", until);
  g_autoptr (PgRows) put_back
      = pg_run_file (claim->transaction.pg, "src/engine/work/sql/quiet_hours.sql", values, error);
  claim->waits += runs->len;
  g_ptr_array_set_size (runs, 0);
  return put_back != NULL;
}

/* Whether what keeps runs waiting has ended by the database's clock only. A clock that jumps must
 * not let rows go that somebody holds. */
static gboolean
is_disputed (const Service *service, const Job *job, const PgRows *rows, const GPtrArray *runs)
{
  const Hours *quiet = in_force_of (job)->quiet;
  const gint64 ours_us = clock_now_us (),
               ahead_us = runs->len > 0 ? ((const Run *)runs->pdata[0])->now_us - ours_us : 0;
  return rows_bool (rows, 0, "disputed")
         || (quiet != NULL && ABS (ahead_us) > service->max_skew_us
             && hours_end (quiet, ours_us) >= 0);
}

/* Holds follow a table that has got another name. */
static gboolean
follow_holds (Pg *pg, const PgRows *rows, GError **error)
{
  if (rows_count (rows) == 0 || !rows_bool (rows, 0, "holds"))
    return TRUE;
  g_autoptr (PgRows) done = pg_run_file (pg, "src/engine/work/sql/holds_follow.sql", NULL, error);
  return done != NULL;
}

/* Locks and returns the runs (of Run) that WORKS may step. Call right after transaction_begin. */
static GPtrArray *
fence (Claim *claim, const Service *service, const Job *job, const GArray *works, GError **error)
{
  Transaction *transaction = &claim->transaction;
  Pg *pg = transaction->pg;
  g_autoptr (PgValues) values = fence_values (job, works);
  pg_values_take (values, "clock", clock_format (clock_now_us () + service->max_skew_us));
  if (!pg_queue (pg, pg_statement ("src/engine/work/sql/fence.sql"), values, error)
      || !pg_flush (pg, error))
    return NULL;
  g_autoptr (PgRows) removed = transaction->sent != NULL ? pg_next (pg, error) : NULL;
  if (transaction->sent != NULL && removed == NULL)
    return NULL;
  g_autoptr (PgRows) rows = pg_next (pg, error);
  if (rows == NULL || !pg_finish (pg, error))
    return NULL;
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify)run_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (rows); i++)
    if (g_hash_table_add (seen,
                          (gpointer)rows_text (rows, i, "run_id"))) /* a message can come twice */
      g_ptr_array_add (runs, run_from_row (job, rows, i));
  const gboolean begins = !claim->settles && rows_count (rows) > 0, on = in_force_is_on (job);
  claim->off = begins && !on && jobs_find (in_force_jobs (), job->name) != NULL;
  claim->paused = begins && (!on || rows_bool (rows, 0, "paused"));
  claim->disputed = begins && is_disputed (service, job, rows, runs);
  gboolean ok = follow_holds (pg, rows, error) && put_back_early (pg, runs, error)
                && (claim->settles || claim->paused || put_back_quiet (claim, job, runs, error));
  return ok ? g_steal_pointer (&runs) : NULL;
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
  if (claim->runs->len < works->len) {
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

static gboolean
claim_locked (Claim *claim, Service *service, Pg *pg, const Job *job, const GArray *works,
              GError **error)
{
  run_set_task (pg, job, g_array_index (works, Work, 0).run_id);
  if (!transaction_begin (&claim->transaction, service->publisher, pg, error))
    return FALSE;
  claim->runs = fence (claim, service, job, works, error);
  return claim->runs != NULL
         && (claim->runs->len == 0 || run_set_task_of_range (pg, claim->runs->pdata[0], error));
}

gboolean
claim_runs (Claim *claim, Service *service, Pg *pg, const Job *job, const GArray *works,
            GError **error)
{
  *claim = (Claim){ .settles = TRUE };
  return claim_locked (claim, service, pg, job, works, error);
}

gboolean
claim_for_lane (Claim *claim, Service *service, Pg *pg, Lane *lane, const GArray *works,
                GError **error)
{
  /* Before the fence: either the fence sees a stop, or the stop sees this lane. */
  lane_note_run (service->lanes, lane, g_array_index (works, Work, 0).run_id);
  const Errand *errand = lane->list.errand;
  *claim = (Claim){ .settles = errand != NULL };
  if (!claim_locked (claim, service, pg, errand != NULL ? errand->job : lane->job, works, error))
    return FALSE;
  claim->locked = find_locked (claim, lane, works, error);
  gboolean begins = !claim->settles && !claim->paused;
  if (claim->locked == NULL
      || (begins
          && (!version_sort_out (claim, lane->job, error)
              || !throttled_put_back (claim, lane->job, error))))
    return FALSE;
  gboolean steps = claim->runs->len > 0 && !claim->paused;
  lane_note_run (service->lanes, lane, steps ? ((const Run *)claim->runs->pdata[0])->run_id : NULL);
  return TRUE;
}

gboolean
claim_park_paused (const Claim *claim, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", run_ids (claim->runs));
  pg_values_set (values, "off", claim->off ? "t" : "f");
  g_autoptr (PgRows) parked
      = pg_run_file (claim->transaction.pg, "src/engine/work/sql/park_paused.sql", values, error);
  return parked != NULL;
}

void
claim_clear (Claim *claim)
{
  g_clear_pointer (&claim->runs, g_ptr_array_unref);
  g_clear_pointer (&claim->locked, g_hash_table_unref);
}
