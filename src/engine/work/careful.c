#include "engine/work/careful.h"

#include "engine/lane/early.h"
#include "engine/step/pace.h"
#include "engine/step/partitions.h"
#include "engine/step/replica.h"
#include "engine/work/bad_rows.h"
#include "engine/work/conclude.h"
#include "engine/work/errands.h"

/* Only with its run is it known whether the version with which it began makes it an errand. */
static gboolean
begins_errand (const Lane *lane, const Step *step)
{
  return lane->list.errand == NULL && step->job->kind->errand;
}

/* *NEXT: what becomes of the message. */
static gboolean
step_one (StepSet *set, Lane *lane, Step *step, LaneNext *next, GError **error)
{
  const gboolean begins = begins_errand (lane, step);
  const char *at_fault;
  *next = begins ? LANE_GO_AWAY : LANE_DONE;
  if (begins)
    return errands_lease (set, &lane, error);
  return (lane->list.errand != NULL ? errands_settle (set, &lane, error)
                                    : step_set_run (set->steps, G_MAXINT64, &at_fault, error))
         && step_set_commit (set, error);
}

/* There is nothing to step: the run waits, another transaction has it, or it has moved on. */
static LaneNext
leave (StepSet *set, Lane *lane, const Work *work, GError *cause)
{
  g_autoptr (GError) error = cause;
  const Claim *claim = &set->claim;
  gboolean ok = error == NULL && step_set_commit (set, &error);
  if (!ok) {
    step_set_roll_back (set);
    return bad_rows_answer (set->service, lane, set->pg, work, error);
  }
  if (g_hash_table_size (claim->locked) > 0)
    return LANE_HOLD;
  conclude_note_stale (set->service, lane, claim->waits == 0);
  return LANE_DONE;
}

/* The step is rolled back: what it asked for is done with no transaction open. */
static LaneNext
go_outside (Service *service, Pg *pg, Lane *lane, Step *step)
{
  g_autoptr (GError) error = NULL;
  if (partitions_outside (step, &error))
    return LANE_AGAIN;
  g_autofree char *sqlstate = g_strdup (error->code == PRUNED_OUTAGE ? "" : pg_sqlstate (pg));
  return partitions_was_late (step, sqlstate)
             ? LANE_AGAIN
             : answer_failure (service, lane, pg, step, sqlstate, error);
}

/* The SQLSTATE of the step's failure, if it is one of PostgreSQL's. */
static char *
state_of (const Step *step, const GError *error)
{
  const gboolean other
      = error->code == PRUNED_OUTAGE || error->domain != PRUNED_ERROR || step->error_class != NULL;
  return g_strdup (other ? "" : pg_sqlstate (step->pg));
}

/* One try of one run. */
static LaneNext
try_one (Service *service, Pg *pg, Lane *lane, const Work *work)
{
  LaneNext next;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work));
  g_auto (StepSet) set = { 0 };
  g_array_append_vals (works, work, 1);
  step_set_init (&set, service, pg, lane->job);
  if (lane->list.errand == NULL && lane->worker.replica != NULL)
    replica_prepare (lane->worker.replica, pg, lane->job);
  if (!claim_runs (&set.claim, service, pg, lane_job (lane), lane, works, &error)
      || set.claim.runs->len == 0)
    return leave (&set, lane, work, g_steal_pointer (&error));
  Step *step = step_set_make (&set, lane, set.claim.runs->pdata[0], NULL, FALSE);
  g_ptr_array_add (set.steps, step);
  pace_begin (&step, 1);
  if (step_one (&set, lane, step, &next, &error)) {
    if (next == LANE_DONE) {
      conclude_steps (service, lane, set.steps, &set.bundle);
      early_step_done (service->lanes, lane, step);
    }
    return next;
  }
  g_autofree char *sqlstate = state_of (step, error);
  step_set_roll_back (&set);
  return step->outside != NULL ? go_outside (service, pg, lane, step)
                               : answer_failure (service, lane, pg, step, sqlstate, error);
}

LaneNext
careful_run (Service *service, Pg *pg, Lane *lane, const Work *work)
{
  LaneNext next;
  do
    next = try_one (service, pg, lane, work);
  while (next == LANE_AGAIN && !lane_should_yield (service->lanes, lane));
  if (next == LANE_DONE)
    conclude_first (service, lane);
  return next == LANE_AGAIN ? LANE_HOLD : next;
}
