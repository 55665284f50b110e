#include "engine/work/errands.h"

#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/step/beside.h"
#include "engine/work/archives.h"
#include "engine/work/conclude.h"
#include "engine/work/objects.h"

/* --- which lanes --- */

static gboolean
is_first_whole (const Lane *lane)
{
  const Pending *first = &g_array_index (lane->worker.pending, Pending, 0);
  return !first->careful && first->wrong == NULL;
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

/* How the steps of JOB, an errand, work without a worker between their two transactions. */
static const JobErrand *
errand_of (const Job *job)
{
  return job->code != NULL               ? job->code->errand
         : job->sentence->bucket != NULL ? &objects_errand
                                         : &archives_errand;
}

static gboolean
is_committed (Step *step, GError **error)
{
  if (!pg_in_transaction (step->pg) && !FAULT_ERROR ("errand.open_transaction"))
    return TRUE;
  step_set_error_class (step, "TransactionInProgress");
  return step_fail (step, error, PRUNED_RETRY,
                    "can't perform network calls inside a database transaction");
}

/* Before the rows of a job in C go, or are tried. */
static gboolean
begin_beside (Beside *beside, Step *const *steps, guint n, GError **error)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  g_ptr_array_add (tables, steps[0]->job->table);
  const gboolean ok = beside_begin_steps (beside, steps, n, tables, error);
  beside->leases = steps[0]->job->table;
  return ok;
}

static gboolean
attempt_each (Step *const *steps, guint n, const JobErrand *code, gpointer *leased, GError **error)
{
  gboolean ok = pg_exec (steps[0]->pg, "SAVEPOINT lease", error);
  for (guint i = 0; ok && i < n; i++)
    ok = code->attempt (steps[i], leased[i], error);
  return ok;
}

/* What would go or change beside the rows counts before anything is done that cannot be rolled
 * back. Nothing of this try stays. */
static gboolean
attempt (Step *const *steps, guint n, const JobErrand *code, gpointer *leased, GError **error)
{
  Beside beside;
  if (code->attempt == NULL)
    return TRUE;
  gboolean ok = begin_beside (&beside, steps, n, error);
  if (ok && beside.rels != NULL)
    ok = attempt_each (steps, n, code, leased, error) && beside_end_steps (&beside, steps, n, error)
         && pg_exec (steps[0]->pg, "ROLLBACK TO lease", error)
         && pg_exec_later (steps[0]->pg, "RELEASE lease", error);
  beside_leave_steps (&beside, steps, n);
  return ok;
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
  if (!code->lease (steps, n, leased, error) || !attempt (steps, n, code, leased, error)
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
  const JobErrand *code = errand_of (((const Step *)set->steps->pdata[0])->job);
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

/* What a job in C settles. A sentence's rows are tried as a page, which counts by itself. */
static gboolean
settle (StepSet *set, const JobErrand *code, gpointer *leased, GError **error)
{
  Step *const *steps = (Step *const *)set->steps->pdata;
  const guint n = set->steps->len;
  Beside beside;
  if (code->attempt == NULL)
    return code->settle (steps, leased, n, error);
  gboolean ok = begin_beside (&beside, steps, n, error);
  ok = ok && code->settle (steps, leased, n, error) && beside_end_steps (&beside, steps, n, error);
  beside_leave_steps (&beside, steps, n);
  return ok;
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
    brakes_begin_settling (step, errand->rows);
    leased[i] = errand->leased;
  }
  return settle (set, lanes[0]->list.errand->code, leased, error)
         && brakes_after_settled ((Step *const *)set->steps->pdata, n, error);
}
