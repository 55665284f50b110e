#include "engine/work/together.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/step/look.h"
#include "engine/step/pace.h"
#include "engine/step/replica.h"
#include "engine/work/at_once.h"
#include "engine/work/conclude.h"
#include "engine/work/shareable.h"
#include "engine/work/together_private.h"

#define MOST_TAKEN 500 /* messages of a lane at once */

gboolean
together_can (const Lane *lane)
{
  return lane->list.errand == NULL && shareable_job (lane->job)
         && limits_shared_rows (lane->job) > 0;
}

/* Reads the pages of runs before any of them is stepped: a run whose page is empty ends by that.
 * Runs are stepped without it if nearly all pages of the lane have rows, if their page was read
 * before, or if their job has to be asked first whether it is blocked. */
static gboolean
look (Together *together, GError **error)
{
  const Job *job = together->lane->job;
  const GPtrArray *claimed_runs = together->set.claim.runs;
  const GArray *works = together->works, *pending = together->lane->worker.pending;
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean in_vain = !job->kind->pages || job->page == NULL || job->blocked != NULL
                     || together->lane->worker.heavy;
  for (guint i = 0; i < works->len; i++)
    if (in_vain || g_array_index (pending, Pending, i).heavy)
      g_hash_table_add (known, g_array_index (works, Work, i).run_id);
  for (guint i = 0; i < claimed_runs->len; i++) {
    Run *run = claimed_runs->pdata[i];
    if (g_hash_table_contains (known, run->run_id))
      g_hash_table_insert (together->heavy, run->run_id, run);
    else
      g_ptr_array_add (runs, run);
  }
  Look look = { together->set.pg,     together->set.service->prefix,
                together->set.bundle, together->set.steps,
                together->heavy,      job };
  return look_at_pages (&look, runs, error);
}

static gboolean
settle (Together *together, GError **error)
{
  FAULT ("together.before_settle");
  if (together->set.steps->len > 0)
    pace_settle (together->set.steps->pdata[0]);
  return step_set_commit (&together->set, error);
}

/* --- their messages --- */

/* Removes the handled messages. Those of runs whose turn has not come, and of locked ones, stay. */
static void
remove_handled (const Together *together)
{
  GArray *pending = together->lane->worker.pending;
  for (guint i = together->works->len; i-- > 0;) {
    const char *run_id = g_array_index (together->works, Work, i).run_id;
    gboolean later = g_hash_table_contains (together->later, run_id);
    if (later)
      g_array_index (pending, Pending, i).heavy = TRUE;
    if (later || g_hash_table_contains (together->set.claim.locked, run_id))
      continue;
    if (g_hash_table_contains (together->heavy, run_id))
      g_array_index (pending, Pending, i).alone = TRUE;
    else
      g_array_remove_index (pending, i);
  }
}

/* None of these messages is done as one with others. */
static gboolean
part (const Together *together, const GError *cause)
{
  log_debug ("Runs could not be stepped together; each is stepped alone", "job",
             together->lane->job->name, "error", cause->message);
  at_once_failed (together->lane);
  for (guint i = 0; i < together->works->len; i++)
    g_array_index (together->lane->worker.pending, Pending, i).apart = TRUE;
  return TRUE;
}

/* The run at fault goes alone; the others come again without it, or all as they are where only the
 * rows of the day have to be counted. A step that met a lock or took too long can have many like
 * it, so then none of these is shared. Where several were done as one they come again one by one.
 */
static gboolean
come_again (const Together *together, const GError *error)
{
  static const char *const slow_states[] = { "57014", "55P03", "40P01", NULL };
  gboolean slow = g_strv_contains (slow_states, pg_sqlstate (together->set.pg));
  if (error->code == PRUNED_OUTAGE || error->code == PRUNED_FATAL
      || lane_should_yield (together->set.service->lanes, together->lane))
    return FALSE;
  if (together->set.allowance.again)
    return TRUE;
  if (together->at_fault == NULL)
    return together->at_once && (!slow || g_str_equal (pg_sqlstate (together->set.pg), "57014"))
           && part (together, error);
  for (guint i = 0; !slow && i < together->works->len; i++)
    if (g_str_equal (g_array_index (together->works, Work, i).run_id, together->at_fault))
      g_array_index (together->lane->worker.pending, Pending, i).alone = TRUE;
  return !slow;
}

/* --- */

static gboolean
share (Together *together, GError **error)
{
  Claim *claim = &together->set.claim;
  replica_leave (together->lane->worker.replica);
  if (!claim_for_lane (claim, together->set.service, together->set.pg, together->lane,
                       together->works, error))
    return FALSE;
  if (claim->paused)
    return claim_park_paused (claim, error) && settle (together, error);
  if (!look (together, error))
    return FALSE;
  for (guint i = 0; i < together->set.steps->len; i++) {
    conclude_note_started (together->set.steps->pdata[i]);
    pace_end (together->set.steps->pdata[i]);
  }
  return together_step_heavy (together, error) && settle (together, error);
}

static gboolean
are_heavy (const GPtrArray *steps)
{
  guint with_rows = 0;
  for (guint i = 0; i < steps->len; i++)
    with_rows += ((const Step *)steps->pdata[i])->rows > 0;
  return 8 * with_rows > 7 * steps->len;
}

/* A run that is locked and read, and whose turn does not come, costs as much as a small step. So
 * the next transaction takes as many as filled this one with rows, or little more than this one had
 * time for. It takes twice as many once all were done and there was room for more. */
static void
note_fits (const Together *together)
{
  const guint taken = together->works->len, later = g_hash_table_size (together->later);
  const gboolean full = together->rows >= together->most;
  guint *fits = &together->lane->worker.fits;
  if (later > 0)
    *fits = (taken - later) + (full ? 0 : (taken - later) / 4 + 1);
  else if (taken >= *fits && !full)
    *fits = *fits < MOST_TAKEN ? 2 * *fits : 0;
}

static void
conclude (Together *together)
{
  const Claim *claim = &together->set.claim;
  conclude_note_stale (together->set.service, together->lane,
                       together->works->len - claim->runs->len - claim->waits
                           - g_hash_table_size (claim->locked));
  together->lane->worker.heavy = are_heavy (together->set.steps);
  conclude_steps (together->set.service, together->lane, together->set.steps,
                  &together->set.bundle);
  note_fits (together);
  remove_handled (together);
}

gboolean
together_run (Service *service, Pg *pg, Lane *lane, const GArray *works, GError **error)
{
  g_autoptr (GHashTable) heavy = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) later = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) offered = g_hash_table_new (g_str_hash, g_str_equal);
  Together together = { .lane = lane,
                        .works = works,
                        .heavy = heavy,
                        .most = limits_shared_rows (lane->job),
                        .later = later,
                        .offered = offered,
                        .began_us = clock_monotonic_us () };
  step_set_init (&together.set, service, pg, lane->job);
  lane->worker.rests -= lane->worker.rests > 0;
  GError *cause = NULL;
  gboolean handled = share (&together, &cause);
  if (handled)
    conclude (&together);
  else {
    lane->worker.heavy = FALSE;
    handled = come_again (&together, cause);
    step_set_roll_back (&together.set);
    bisect_reset (lane->worker.bisect);
    if (handled)
      g_error_free (cause);
    else
      g_propagate_error (error, cause);
  }
  step_set_clear (&together.set);
  return handled;
}
