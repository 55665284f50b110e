#include "engine/work/alone.h"

#include "base/fault.h"
#include "engine/job/arguments.h"
#include "engine/job/job_rows.h"
#include "engine/step/apply.h"
#include "engine/step/pace.h"
#include "engine/work/amiss.h"
#include "engine/work/claim.h"
#include "engine/work/conclude.h"

/* Is something missing that the job says it cannot do without? */
static gboolean
check_blocked (Step *step, GError **error)
{
  if (step->job->blocked == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, step->job->blocked, values);
  g_autoptr (PgRows) reasons = pg_run (step->pg, step->job->blocked, values, error);
  if (reasons == NULL || rows_count (reasons) == 0)
    return reasons != NULL;
  if (!job_rows_are_whole (step->job->blocked, reasons, "reason", error))
    return FALSE;
  return step_block (step, error, "%s", rows_text (reasons, 0, "reason"));
}

/* What no retry can mend. */
static gboolean
check_args (Step *step, GError **error)
{
  g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
  if (step->run->wrong != NULL)
    return step_fail (step, error, PRUNED_REJECT, "%s", step->run->wrong);
  return reason == NULL || step_fail (step, error, PRUNED_REJECT, "args: %s", reason);
}

/* The job's own step: its code, or its page. */
static gboolean
step_run (Step *step, GError **error)
{
  if (!check_args (step, error) || !check_blocked (step, error))
    return FALSE;
  gboolean coded = step->job->code != NULL && step->job->code->step != NULL;
  return coded ? step->job->code->step (step, error) : apply_page (step, error);
}

static gboolean
work (Lane *lane, Step *step, GError **error)
{
  if (lane->list.errand == NULL) {
    steps_note_started (step);
    FAULT_ABOUT ("step.after_fence", step->run->run_id);
    return step_run (step, error);
  }
  FAULT ("errand.before_settle");
  step->began_us = lane->list.errand->began_us; /* with its lease */
  step->started_at_us = lane->list.errand->started_at_us;
  return lane->list.errand->code->settle (step, lane->list.errand->leased, error);
}

static gboolean
step_and_commit (Service *service, Lane *lane, Transaction *transaction, Step *step,
                 GPtrArray *steps, GError **error)
{
  return work (lane, step, error) && steps_settle (steps, service->publisher, error)
         && transaction_commit (transaction, error);
}

/* --- errands: lease, act elsewhere, settle --- */

/* The first transaction: takes and commits the lease of what `act` will do. NULL with ERROR set: it
 * failed; NULL without: the message is stale. */
static gpointer
take_lease (Step *step, Transaction *transaction, GError **error)
{
  const JobErrand *code = step->job->code->errand;
  FAULT ("errand.before_lease");
  gpointer leased = code->lease (step, error);
  if (leased == NULL)
    return NULL;
  if (transaction_commit (transaction, error)) {
    FAULT ("errand.after_lease");
    return leased;
  }
  code->free (leased);
  return NULL;
}

/* A store must not be called while a transaction is open: fails the step if one is. */
static gboolean
no_transaction (Step *step, GError **error)
{
  if (!pg_in_transaction (step->pg) && !FAULT_ERROR ("errand.open_transaction"))
    return TRUE;
  step->error_class = "TransactionInProgress";
  return step_fail (step, error, PRUNED_RETRY,
                    "can't perform network calls inside a database transaction");
}

static Answer
begin_errand (Service *service, Lane *lane, Transaction *transaction, Step *step)
{
  g_autoptr (GError) error = NULL;
  steps_note_started (step);
  gpointer leased = take_lease (step, transaction, &error);
  if (leased != NULL && no_transaction (step, &error)) {
    steps_log_started (step);
    Errand *errand = lane_begin_errand (service->lanes, lane, step, leased);
    errand->code->act (leased, errand);
    return ANSWER_AWAY;
  }
  if (leased != NULL)
    step->job->code->errand->free (leased);
  g_autofree char *sqlstate = g_strdup (pg_sqlstate (step->pg));
  transaction_rollback (transaction);
  return answer_failure (service, lane, step->pg, step, step->error_class != NULL ? "" : sqlstate,
                         error);
}

/* There is nothing to step: the job is paused, another transaction has the run, or it has moved on.
 */
static Answer
leave (Service *service, Lane *lane, Claim *claim, const Work *work, GError *cause)
{
  g_autoptr (GError) error = cause;
  gboolean ok = claim->locked != NULL
                && (claim->runs->len == 0 || claim_park_paused (claim, &error))
                && transaction_commit (&claim->transaction, &error);
  if (!ok) {
    Pg *pg = claim->transaction.pg;
    transaction_rollback (&claim->transaction);
    return amiss_answer (service, lane, pg, work, error);
  }
  if (g_hash_table_size (claim->locked) > 0)
    return ANSWER_HOLD;
  steps_note_stale (service, lane, claim->runs->len == 0);
  return ANSWER_HANDLED;
}

/* One try of one run. */
static Answer
try_alone (Service *service, Pg *pg, Lane *lane, const GArray *works)
{
  g_autoptr (GError) error = NULL;
  g_auto (Claim) claim = { 0 };
  if (!claim_for_lane (&claim, service, pg, lane, works, &error) || claim.runs->len == 0
      || claim.paused)
    return leave (service, lane, &claim, &g_array_index (works, Work, 0), g_steal_pointer (&error));
  Run *run = claim.runs->pdata[0];
  g_autoptr (Bundle) bundle = bundle_new (run->run_id, run->step, lane->job->name, run->slot);
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  Step *step = step_new (pg, run, service->prefix, lane->worker.bisect, bundle);
  g_ptr_array_add (steps, step);
  pace_begin (step);
  if (lane->job->code != NULL && lane->job->code->errand != NULL && lane->list.errand == NULL)
    return begin_errand (service, lane, &claim.transaction, step);
  if (step_and_commit (service, lane, &claim.transaction, step, steps, &error)) {
    steps_conclude (service, lane, steps, &bundle);
    return ANSWER_HANDLED;
  }
  g_autofree char *sqlstate = g_strdup (
      error->code == PRUNED_OUTAGE || error->domain != PRUNED_ERROR ? "" : pg_sqlstate (pg));
  transaction_rollback (&claim.transaction);
  publisher_abandon (service->publisher, bundle);
  return answer_failure (service, lane, pg, step, sqlstate, error);
}

Answer
alone_run (Service *service, Pg *pg, Lane *lane, const GArray *works)
{
  Answer answer;
  do
    answer = try_alone (service, pg, lane, works);
  while (answer == ANSWER_AGAIN && !lane_should_yield (service->lanes, lane));
  if (answer == ANSWER_HANDLED) {
    lane_end_errand (service->lanes, lane);
    bisect_reset (lane->worker.bisect);
    g_array_remove_index (lane->worker.pending, 0);
  }
  return answer == ANSWER_AGAIN ? ANSWER_HOLD : answer;
}

void
alone_run_ahead (Service *service, Pg *pg, Lane *lane)
{
  g_autoptr (GArray) works = g_steal_pointer (&lane->worker.ahead);
  while (try_alone (service, pg, lane, works) == ANSWER_AGAIN
         && !lane_should_yield (service->lanes, lane))
    ;
  lane->worker.locked_since_us = 0; /* its message follows */
  bisect_reset (lane->worker.bisect);
}
