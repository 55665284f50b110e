#include "engine/work/answer.h"

#include "base/fault.h"
#include "engine/lane/outage.h"
#include "engine/lane/sending.h"
#include "engine/service/stats.h"
#include "engine/step/read_back.h"
#include "engine/work/bad_rows.h"
#include "engine/work/conclude.h"
#include "engine/work/divide.h"
#include "engine/work/hold.h"
#include "engine/work/on_failure.h"
#include "engine/work/retry.h"

#define SQL "src/engine/work/sql/"
#define MOVED "nothing follows: the run was discarded, or another process has moved it"

static PgRows *
write_decision (Pg *pg, const Step *step, const RetryDecision *decision, GError **error)
{
  RunFailure failure = { .run = step->run,
                         .state = decision->state,
                         .attempts = decision->attempts,
                         .delay_ms = decision->delay_ms,
                         .error = decision->error,
                         .progress = decision->progress,
                         .result = decision->result,
                         .error_class = decision->class };
  return run_fail (pg, &failure, error);
}

static gboolean
ends (const RetryDecision *decision)
{
  return !g_str_equal (decision->state, "waiting");
}

static gboolean
note_blocked (Pg *pg, const Step *step, RetryDecision *decision, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_set (values, "reason", decision->error);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "blocked_put.sql", values, error);
  decision->known = rows != NULL && rows_count (rows) > 0 && rows_bool (rows, 0, "again");
  return rows != NULL;
}

/* Writes the decision: the run's row, the job's `on_failure`, and the outcome if the run ends. */
static gboolean
execute (Service *service, Pg *pg, Step *step, RetryDecision *decision, Bundle *bundle,
         GError **error)
{
  g_array_set_size (step->logs, 0); /* log lines of the failed try: it was rolled back */
  g_autoptr (PgRows) failed = write_decision (pg, step, decision, error);
  if (failed == NULL)
    return FALSE;
  decision->moved = rows_count (failed) == 0;
  if (decision->moved)
    return TRUE;
  if (step->run->range_of != NULL)
    return !ends (decision) || divide_wake (pg, step->run, error);
  if (step->on_failure != NULL && !g_str_equal (decision->state, "finished")
      && decision->attempts > step->run->attempts
      && !on_failure_run (pg, step, decision->state, decision->error, error))
    return FALSE;
  if (decision->blocked && !note_blocked (pg, step, decision, error))
    return FALSE;
  if (!ends (decision) || decision->known)
    return TRUE;
  g_autoptr (json_t) result
      = decision->result != NULL ? json_incref (decision->result) : step_result (step, "failed");
  g_autofree char *text = json_text (result);
  step_tell_by (step, bundle);
  if (g_str_equal (decision->state, "dead"))
    step_add_dead (step, text, decision->class, decision->error);
  else
    step_add_run_finished (step, decision->state, text, decision->error);
  return publisher_store (service->publisher, pg, bundle, error);
}

static void
add_decision (json_t *fields, const RetryDecision *decision)
{
  json_object_set_new (fields, "state", json_string (decision->state));
  json_object_set_new (fields, "attempts", json_integer (decision->attempts));
  if (!ends (decision))
    json_object_set_new (fields, "retry_in_s", json_real ((double)decision->delay_ms / 1000));
  if (decision->limit > 0)
    json_object_set_new (fields, "limit", json_integer (decision->limit));
}

static void
log_failure (Step *step, const char *sqlstate, const GError *cause, const RetryDecision *decision)
{
  g_autoptr (json_t) fields = json_copy (step_log_fields (step));
  const char *class = retry_error_class (sqlstate, cause);
  json_object_set_new (fields, "error_class", json_string (decision->class));
  json_object_set_new (fields, "error", json_string (cause->message));
  if (decision->moved)
    json_object_set_new (fields, "detail", json_string (MOVED));
  else
    add_decision (fields, decision);
  gboolean charged = cause->code != PRUNED_BUSY && decision->limit == 0 && !decision->by_rows
                     && !decision->moved;
  log_fields (charged && !decision->known ? LOG_ERROR : LOG_WARNING, "Step failed", fields);
  if (decision->known)
    return;
  stats_add (STATS_FAILURES, step->job->name, class, 1);
  stats_add (STATS_ERRORS, step->job->name, NULL, charged);
  if (ends (decision) && !decision->moved && step->run->range_of == NULL)
    stats_add (STATS_RUNS, step->job->name, decision->state, 1);
}

static gboolean
commit (Transaction *transaction, GError **error)
{
  FAULT ("answer.before_commit");
  return transaction_commit (transaction, error);
}

/* Executes the decision in a transaction of its own. FALSE: it is rolled back. */
static gboolean
carry_out (Service *service, Pg *pg, Step *step, RetryDecision *decision, Bundle *bundle,
           GError **error)
{
  Transaction transaction = { 0 };
  run_set_task (pg, step->job, step->run->run_id);
  if (transaction_begin (&transaction, service->publisher, pg, error)
      && transaction_flush (&transaction, error)
      && execute (service, pg, step, decision, bundle, error) && commit (&transaction, error))
    return TRUE;
  transaction_rollback (&transaction);
  publisher_abandon (service->publisher, bundle);
  return FALSE;
}

/* `on_failure` has failed with ERROR: drops it from the step, so that the decision can be carried
 * out without it. FALSE: it was not `on_failure`, or the error is temporary. */
static gboolean
leave_out_on_failure (Step *step, RetryDecision *decision, const GError *error)
{
  if (step->on_failure == NULL || error->code == PRUNED_OUTAGE || error->code == PRUNED_BUSY
      || error->code == PRUNED_FATAL)
    return FALSE;
  g_autofree char *first = decision->error;
  decision->error = g_strdup_printf ("%s; then its clean-up failed: %s", first, error->message);
  on_failure_drop (step);
  return TRUE;
}

/* A brake has stopped the step. If its run cannot be counted, or its plan cannot be noted, the run
 * is charged, as for a failed step. */
static LaneNext
answer_brake (Service *service, Lane *lane, Pg *pg, Step *step)
{
  HoldResult result = { 0 };
  g_autoptr (GError) error = NULL;
  const gboolean divided = step->brake == BRAKE_RANGES;
  if (divided && divide_give_way (service, step, &error))
    return LANE_DONE;
  if (!divided && hold_carry_out (service, lane, step, &result, &error))
    return result.again ? LANE_AGAIN : LANE_DONE;
  Work work = { step->run->run_id, step->run->step, step->run->attempts };
  if (error->domain != PRUNED_ERROR || error->code == PRUNED_OUTAGE || error->code == PRUNED_DATA)
    return bad_rows_answer (service, lane, pg, &work, error);
  step_set_failed (step);
  return answer_failure (service, lane, pg, step, result.sqlstate, error);
}

LaneNext
answer_failure (Service *service, Lane *lane, Pg *pg, Step *step, const char *sqlstate,
                const GError *cause)
{
  if (step->brake != BRAKE_NONE)
    return answer_brake (service, lane, pg, step);
  if (step->again || (g_strcmp0 (sqlstate, "40001") == 0 && read_back_forget (step->job)))
    return LANE_AGAIN;
  if (cause->code == PRUNED_OUTAGE || cause->code == PRUNED_FATAL)
    return outage_hold (service, lane, cause);
  if (cause->code == PRUNED_BUSY
      && (lane_should_yield (service->lanes, lane) || atomic_load (&service->shared.stopped)))
    return LANE_HOLD; /* our own cancel: not charged */
  g_auto (RetryDecision) decision = { 0 };
  retry_decide (step, sqlstate, cause, &decision);
  g_autoptr (Bundle) bundle
      = bundle_new (step->run->run_id, step->run->step, step->job->name, step->run->slot);
  GError *error = NULL;
  gboolean done = carry_out (service, pg, step, &decision, bundle, &error);
  if (!done && leave_out_on_failure (step, &decision, error)) {
    g_clear_error (&error);
    g_clear_pointer (&bundle, bundle_free);
    bundle = bundle_new (step->run->run_id, step->run->step, step->job->name, step->run->slot);
    done = carry_out (service, pg, step, &decision, bundle, &error);
  }
  if (!done) {
    Work work = { step->run->run_id, step->run->step, step->run->attempts };
    LaneNext next = bad_rows_answer (service, lane, pg, &work, error);
    g_error_free (error);
    return next;
  }
  FAULT ("answer.after_commit");
  conclude_log_started (step);
  step_write_logs (step);
  log_failure (step, sqlstate, cause, &decision);
  if (ends (&decision) && !decision.moved && !decision.known) {
    g_autoptr (json_t) before = step_result (step, "failed");
    conclude_log_ended (step, decision.state, decision.result != NULL ? decision.result : before);
  }
  wake_in (service->wake, decision.delay_ms);
  if (bundle_size (bundle) > 0)
    sending_finish (service, lane, bundle);
  return LANE_DONE;
}
