#include "engine/work/errands.h"

#include "base/fault.h"
#include "base/clock.h"
#include "engine/brakes/brakes.h"
#include "engine/job/in_force.h"
#include "engine/lane/early.h"
#include "engine/step/pace.h"
#include "engine/work/conclude.h"
#include "engine/work/objects.h"
#include "engine/work/ready.h"
#include "engine/work/shareable.h"

/* --- which lanes --- */

static gboolean
is_first_whole (const Lane *lane)
{
  const Pending *first = &g_array_index (lane->worker.pending, Pending, 0);
  return !first->alone && first->wrong == NULL;
}

gboolean
errands_fit (Service *service, Lane *lane)
{
  const Errand *errand = lane->list.errand;
  return lane->worker.pending->len > 0 && lane->worker.outages == 0
         && lane->worker.locked_since_us == 0 && !lane_should_yield (service->lanes, lane)
         && is_first_whole (lane)
         && (errand == NULL
             || (errand->code->is_plain != NULL && errand->code->is_plain (errand->leased)));
}

/* --- the two halves, of the steps of one transaction: one for each of LANES --- */

static gboolean
is_committed (Step *step, GError **error)
{
  if (!pg_in_transaction (step->pg) && !FAULT_ERROR ("errand.open_transaction"))
    return TRUE;
  step_set_error_class (step, "TransactionInProgress");
  return step_fail (step, error, PRUNED_RETRY,
                    "can't perform network calls inside a database transaction");
}

static gboolean
lease (StepSet *set, const JobErrand *code, gpointer *leased, GError **error)
{
  Step *const *steps = (Step *const *)set->steps->pdata;
  const guint n = set->steps->len;
  const char *at_fault;
  for (guint i = 0; i < n; i++) {
    conclude_note_started (steps[i]);
    if (steps[i]->job->sentence != NULL && !step_is_ready (steps[i], error))
      return FALSE;
  }
  if (!brakes_before (steps, n, &at_fault, error))
    return FALSE;
  FAULT ("errand.before_lease");
  if (!code->lease (steps, n, leased, error)
      || !brakes_note_leased (steps, n, &set->allowance, error)
      || !transaction_commit (&set->claim.transaction, error))
    return FALSE;
  day_took (&set->allowance);
  FAULT ("errand.after_lease");
  if (n > 1)
    FAULT ("errands.after_lease");
  return is_committed (steps[0], error);
}

static void
act (StepSet *set, Lane *const *lanes, const JobErrand *code, gpointer *leased)
{
  const guint n = set->steps->len;
  Lanes *all = set->service->lanes;
  g_autofree Errand **errands = g_new0 (Errand *, n);
  for (guint i = 0; i < n; i++) {
    conclude_log_started (set->steps->pdata[i]);
    errands[i] = lane_begin_errand (all, lanes[i], code, set->steps->pdata[i], leased[i]);
  }
  if (n > 1)
    lanes_group_errands (all, errands, n);
  code->act (leased, errands, n);
}

gboolean
errands_lease (StepSet *set, Lane *const *lanes, GError **error)
{
  const JobErrand *code = objects_errand (((const Step *)set->steps->pdata[0])->job);
  g_autofree gpointer *leased = g_new0 (gpointer, set->steps->len);
  if (lease (set, code, leased, error)) {
    act (set, lanes, code, leased);
    return TRUE;
  }
  for (guint i = 0; i < set->steps->len; i++)
    if (leased[i] != NULL)
      code->free (leased[i]);
  return FALSE;
}

gboolean
errands_settle (StepSet *set, Lane *const *lanes, GError **error)
{
  const guint n = set->steps->len;
  g_autofree gpointer *leased = g_new0 (gpointer, n);
  FAULT ("errand.before_settle");
  for (guint i = 0; i < n; i++) {
    const Errand *errand = lanes[i]->list.errand;
    Step *step = set->steps->pdata[i];
    step->began_us = errand->began_us; /* with its lease */
    step->started_at_us = errand->started_at_us;
    leased[i] = errand->leased;
  }
  return lanes[0]->list.errand->code->settle ((Step *const *)set->steps->pdata, leased, n, error);
}

/* --- several lanes --- */

static const Work *
work_of (const Lane *lane)
{
  return &g_array_index (lane->worker.pending, Pending, 0).work;
}

static Run *
run_of (const Claim *claim, const Lane *lane)
{
  for (guint i = 0; i < claim->runs->len; i++) {
    Run *run = claim->runs->pdata[i];
    if (g_str_equal (run->run_id, work_of (lane)->run_id))
      return run;
  }
  return NULL;
}

static gboolean
go_alone (GError **error, const char *why)
{
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_BUSY, why);
  return FALSE;
}

/* One step for each lane. The first of them begins the time of all. */
static gboolean
begin_steps (StepSet *set, Lane *const *lanes, guint n, GError **error)
{
  for (guint i = 0; i < n; i++) {
    Run *run = run_of (&set->claim, lanes[i]);
    if (run == NULL || !shareable_errand (run))
      return go_alone (error, "tried again alone");
    Step *step = step_set_make (set, lanes[i], run, NULL, TRUE);
    g_ptr_array_add (set->steps, step);
    lane_note_run (set->service->lanes, lanes[i], run->run_id);
    pace_begin (step);
  }
  return pg_exec_later (set->pg, "SET LOCAL lock_timeout = '100ms'", error);
}

/* All runs or none. */
static gboolean
claim (StepSet *set, Lane *const *lanes, guint n, GError **error)
{
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work));
  for (guint i = 0; i < n; i++) {
    g_array_append_vals (works, work_of (lanes[i]), 1);
    if (i > 0)
      lane_note_run (set->service->lanes, lanes[i], work_of (lanes[i])->run_id);
  }
  if (!claim_for_lane (&set->claim, set->service, set->pg, lanes[0], works, error))
    return FALSE;
  lanes[0]->worker.locked_since_us = 0;
  if (set->claim.paused || set->claim.runs->len < n)
    return go_alone (error, "not all runs can be stepped");
  return begin_steps (set, lanes, n, error);
}

static void
roll_back (StepSet *set, const Lane *first, const GError *error)
{
  log_debug ("Errands could not be done together; each is done alone", "job", first->job->name,
             "error", error->message);
  step_set_roll_back (set);
}

gboolean
errands_begin (Service *service, Pg *pg, const GPtrArray *lanes, gboolean *again)
{
  Lane *const *all = (Lane *const *)lanes->pdata;
  g_autoptr (GError) error = NULL;
  g_auto (StepSet) set = { 0 };
  step_set_init (&set, service, pg, all[0]->job);
  if (claim (&set, all, lanes->len, &error) && errands_lease (&set, all, &error))
    return TRUE;
  *again = set.allowance.again;
  roll_back (&set, all[0], error);
  return FALSE;
}

static gboolean
settle (StepSet *set, Lane *const *lanes, guint n, GError **error)
{
  const gint64 began_us = clock_monotonic_us ();
  if (!claim (set, lanes, n, error) || !errands_settle (set, lanes, error))
    return FALSE;
  pace_divide ((Step *const *)set->steps->pdata, n, began_us);
  FAULT ("errands.before_commit");
  if (!step_set_commit (set, error))
    return FALSE;
  FAULT ("errands.after_commit");
  return TRUE;
}

gboolean
errands_end (Service *service, Pg *pg, const GPtrArray *lanes)
{
  Lane *const *all = (Lane *const *)lanes->pdata;
  g_autoptr (GError) error = NULL;
  g_auto (StepSet) set = { 0 };
  step_set_init (&set, service, pg, all[0]->job);
  if (!settle (&set, all, lanes->len, &error)) {
    roll_back (&set, all[0], error);
    return FALSE;
  }
  conclude_steps (service, all[0], set.steps, &set.bundle);
  for (guint i = 0; i < lanes->len; i++) {
    early_step_done (service->lanes, all[i], set.steps->pdata[i]);
    lane_end_errand (service->lanes, all[i]);
    bisect_reset (all[i]->worker.bisect);
    g_array_remove_index (all[i]->worker.pending, 0);
  }
  return TRUE;
}
