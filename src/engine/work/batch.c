#include "engine/work/batch.h"

#include "base/fault.h"
#include "engine/brakes/day.h"
#include "engine/lane/early.h"
#include "engine/lane/outage.h"
#include "engine/outbox/dead.h"
#include "engine/step/pace.h"
#include "engine/step/partitions.h"
#include "engine/step/replica.h"
#include "engine/work/bad_rows.h"
#include "engine/work/claim.h"
#include "engine/work/conclude.h"
#include "engine/work/lease.h"
#include "engine/work/run_step.h"
#include "engine/work/together.h"

#define LOCKED_HOLD_US 5000

/* The next shared transaction would not have time for more messages. */
static gboolean
is_full (const Lane *lane, const GArray *works)
{
  return lane->worker.fits > 0 && works->len >= lane->worker.fits;
}

/* Adds the pending steps to WORKS, which borrows them, up to the first that must go alone. Messages
 * that cannot be decoded are buried and removed. */
static gboolean
gather (Service *service, Lane *lane, GArray *works, GError **error)
{
  GArray *pending = lane->worker.pending;
  for (guint i = 0; i < pending->len;) {
    const Pending *one = &g_array_index (pending, Pending, i);
    const gboolean alone = one->alone;
    if ((alone && i > 0) || is_full (lane, works))
      break;
    if (one->wrong == NULL) {
      g_array_append_val (works, one->work);
      i++;
    } else if (!dead_letter_bury (service, one->message, one->wrong, 1, error))
      return FALSE;
    else
      g_array_remove_index (pending, i);
    if (alone)
      break;
  }
  return TRUE;
}

/* --- one run by itself: a step with rows, a job in C, or an errand --- */

static gboolean
work (Lane *lane, Step *step, GError **error)
{
  if (lane->list.errand == NULL)
    return run_step (step, error);
  FAULT ("errand.before_settle");
  step->began_us = lane->list.errand->began_us; /* with its lease */
  step->started_at_us = lane->list.errand->started_at_us;
  return lane->list.errand->code->settle (step, lane->list.errand->leased, error);
}

static gboolean
step_and_commit (Service *service, Lane *lane, Transaction *transaction, Step *step,
                 GPtrArray *steps, GError **error)
{
  g_auto (DayAllowance) allowance = { 0 };
  if (!work (lane, step, error) || !day_take (steps, &allowance, error)
      || !steps_settle (steps, service->publisher, error)
      || !transaction_commit (transaction, error))
    return FALSE;
  day_took (&allowance);
  return TRUE;
}

/* There is nothing to step: the job is paused, another transaction has the run, or it has moved on.
 */
static MessageNext
leave (Service *service, Lane *lane, Claim *claim, const Work *work, GError *cause)
{
  g_autoptr (GError) error = cause;
  gboolean ok = error == NULL && claim->locked != NULL
                && (claim->runs->len == 0 || claim_park_paused (claim, &error))
                && transaction_commit (&claim->transaction, &error);
  if (!ok) {
    Pg *pg = claim->transaction.pg;
    transaction_rollback (&claim->transaction);
    return bad_rows_answer (service, lane, pg, work, error);
  }
  if (g_hash_table_size (claim->locked) > 0)
    return MESSAGE_HOLD;
  conclude_note_stale (service, lane, claim->runs->len + claim->waits == 0);
  return MESSAGE_HANDLED;
}

/* The step is rolled back: what it asked for is done with no transaction open. */
static MessageNext
go_outside (Service *service, Pg *pg, Lane *lane, Step *step)
{
  g_autoptr (GError) error = NULL;
  if (partitions_outside (step, &error))
    return MESSAGE_AGAIN;
  g_autofree char *sqlstate = g_strdup (error->code == PRUNED_OUTAGE ? "" : pg_sqlstate (pg));
  return partitions_was_late (step, sqlstate)
             ? MESSAGE_AGAIN
             : answer_failure (service, lane, pg, step, sqlstate, error);
}

/* One try of one run. Only here is it known whether the version with which it began makes it an
 * errand. */
static MessageNext
try_alone (Service *service, Pg *pg, Lane *lane, const GArray *works)
{
  g_autoptr (GError) error = NULL;
  g_auto (Claim) claim = { 0 };
  if (lane->list.errand == NULL)
    replica_prepare (lane->worker.replica, pg, lane->job);
  if (!claim_for_lane (&claim, service, pg, lane, works, &error) || claim.runs->len == 0
      || claim.paused)
    return leave (service, lane, &claim, &g_array_index (works, Work, 0), g_steal_pointer (&error));
  Run *run = claim.runs->pdata[0];
  g_autoptr (Bundle) bundle = bundle_new (run->run_id, run->step, lane->job->name, run->slot);
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  Step *step = step_new (pg, run, service->prefix, lane->worker.bisect, bundle);
  step->replica = lane->worker.replica;
  g_ptr_array_add (steps, step);
  pace_begin (step);
  if (job_is_errand (run->job) && lane->list.errand == NULL)
    return lease_and_act (service, lane, &claim.transaction, step);
  if (step_and_commit (service, lane, &claim.transaction, step, steps, &error)) {
    conclude_steps (service, lane, steps, &bundle);
    early_step_done (service->lanes, lane, step);
    return MESSAGE_HANDLED;
  }
  g_autofree char *sqlstate = g_strdup (
      error->code == PRUNED_OUTAGE || error->domain != PRUNED_ERROR ? "" : pg_sqlstate (pg));
  transaction_rollback (&claim.transaction);
  publisher_abandon (service->publisher, bundle);
  return step->outside != NULL ? go_outside (service, pg, lane, step)
                               : answer_failure (service, lane, pg, step, sqlstate, error);
}

/* The run of the first of WORKS, which is the first of lane->worker.pending; removed from there
 * when it is handled. */
static MessageNext
run_alone (Service *service, Pg *pg, Lane *lane, const GArray *works)
{
  MessageNext next;
  do
    next = try_alone (service, pg, lane, works);
  while (next == MESSAGE_AGAIN && !lane_should_yield (service->lanes, lane));
  if (next == MESSAGE_HANDLED) {
    lane_end_errand (service->lanes, lane);
    bisect_reset (lane->worker.bisect);
    g_array_remove_index (lane->worker.pending, 0);
  }
  return next == MESSAGE_AGAIN ? MESSAGE_HOLD : next;
}

/* --- a lane --- */

static void
mark_all_alone (Lane *lane)
{
  for (guint i = 0; i < lane->worker.pending->len; i++)
    g_array_index (lane->worker.pending, Pending, i).alone = TRUE;
}

/* The first message has no others that its run could share a transaction with. */
static gboolean
is_alone (const Lane *lane)
{
  const GArray *pending = lane->worker.pending;
  return pending->len == 1 || g_array_index (pending, Pending, 0).alone;
}

static MessageNext
handle (Service *service, Pg *pg, Lane *lane)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work));
  if (!gather (service, lane, works, &error))
    return answer_outage (service, lane, error);
  if (works->len == 0)
    return MESSAGE_HANDLED;
  if (is_alone (lane) || !together_can (lane)) {
    g_array_set_size (works, 1);
    return run_alone (service, pg, lane, works);
  }
  if (together_run (service, pg, lane, works, &error))
    return MESSAGE_HANDLED;
  if (error->code == PRUNED_OUTAGE || lane_should_yield (service->lanes, lane))
    return answer_outage (service, lane, error);
  mark_all_alone (lane); /* one of them is at fault: try each alone */
  return MESSAGE_HANDLED;
}

LaneNext
batch_handle (Service *service, Pg *pg, Lane *lane, gint64 *hold_us)
{
  MessageNext next = handle (service, pg, lane);
  if (next == MESSAGE_AWAY)
    return LANE_GO_AWAY;
  if (lane->worker.locked_since_us != 0)
    *hold_us = LOCKED_HOLD_US;
  else if (next == MESSAGE_HOLD)
    *hold_us = outage_hold_us (lane->worker.outages);
  if (*hold_us > 0)
    return LANE_HOLD;
  lane->worker.outages = 0;
  return lane->worker.pending->len > 0 ? LANE_AGAIN : LANE_DONE;
}
