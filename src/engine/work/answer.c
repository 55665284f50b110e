#include "engine/work/answer.h"

#include "base/fault.h"
#include "engine/job/in_force.h"
#include "engine/lane/outage.h"
#include "engine/service/stats.h"
#include "engine/step/pace.h"
#include "engine/step/page.h"
#include "engine/step/ranges.h"
#include "engine/step/trial.h"
#include "engine/work/bad_rows.h"
#include "engine/work/conclude.h"
#include "engine/work/divide.h"
#include "engine/work/hold.h"
#include "engine/work/on_failure.h"

#define SQL "src/engine/work/sql/"
#define BLOCKED_RETRY_MS 60000
#define BUSY_MAX_MS 10000 /* of the 1-30 s by which a lock can delay a step */

static const char *const VERDICTS[]
    = { "none", "outage", "busy", "retry", "data", "reject", "fatal" };

/* What becomes of the run. */
typedef struct {
  const char *state;
  int attempts;
  gint64 delay_ms;
  char *error;
  const char *class;       /* of the error: its SQLSTATE, or another name */
  json_t *cursor, *result; /* NULL: stay */
  gboolean blocked, known; /* it ends blocked; it did so at an earlier try, too */
  gint64 limit;            /* rows of the next try of a step that took too long; 0: it did not */
} Ruling;

static void
ruling_clear (Ruling *ruling)
{
  g_free (ruling->error);
  g_clear_pointer (&ruling->cursor, json_decref);
  g_clear_pointer (&ruling->result, json_decref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ruling, ruling_clear)

/* Half of the page that failed, which may have been smaller than its limit. */
static int
half_page (const Step *step)
{
  int size = pace_page_limit (step->run);
  if (step->bisect != NULL && step->bisect->page > 0)
    size = MIN (size, (int)step->bisect->page);
  return MAX (1, size / 2);
}

/* The next try is about fewer rows, at once. FALSE: one row alone takes too long. */
static gboolean
cut (const Step *step, const GError *cause, Ruling *ruling)
{
  ruling->limit = pace_less (step);
  if (ruling->limit == 0)
    return FALSE;
  ruling->error = g_strdup_printf ("too slow, tried again with %" G_GINT64_FORMAT " rows: %s",
                                   ruling->limit, cause->message);
  ruling->cursor = run_cursor_with (step->run, "limit", ruling->limit);
  return TRUE;
}

static void
count_in_cursor (const Step *step, const char *key, Ruling *ruling)
{
  ruling->cursor = run_cursor_with (
      step->run, key, json_integer_value (json_object_get (step->run->cursor, key)) + 1);
}

static void
charge (const Step *step, gboolean timed_out, const GError *cause, Ruling *ruling)
{
  const Run *run = step->run;
  ruling->attempts = run->attempts + 1;
  ruling->delay_ms
      = run->job->retry_every_ms > 0 ? run->job->retry_every_ms : pace_back_off_ms (run->attempts);
  ruling->error = g_strdup (cause->message);
  if (ruling->attempts > in_force_of (run->job)->max_attempts)
    ruling->state = "dead";
  if (step->halve)
    ruling->cursor = run_cursor_with (run, "limit", half_page (step));
  else if (step->systemic)
    count_in_cursor (step, "systemic", ruling);
  else if (timed_out)
    count_in_cursor (step, TRIAL_TIMEOUTS, ruling);
}

/* Something that the job needs is missing. A tick's run ends as blocked and is retried later
 * (blocked.h). A run that a parent or an event asked for waits, so that it is not forgotten. */
static void
block (const Step *step, const GError *cause, Ruling *ruling)
{
  Page page = { 0 };
  gboolean once = step->run->parent_id != NULL || run_in_ranges (step->run)
                  || page_of_event (step->run, &page);
  page_clear (&page);
  if (once) {
    ruling->delay_ms = BLOCKED_RETRY_MS;
    ruling->error = g_strdup_printf ("blocked: %s", cause->message);
    return;
  }
  ruling->state = "finished";
  ruling->blocked = TRUE;
  ruling->error = g_strdup (cause->message);
  json_object_clear (step->counts); /* of effects that were rolled back */
  ruling->result = step_result (step, "blocked");
  json_object_set_new (ruling->result, "reason", json_string (cause->message));
}

static void
pass_ruling (const Step *step, const char *sqlstate, const GError *cause, Ruling *ruling)
{
  gboolean timed_out = g_str_equal (sqlstate, "57014");
  const char *class = *sqlstate != '\0' ? sqlstate : VERDICTS[cause->code];
  *ruling = (Ruling){ .state = "waiting",
                      .attempts = step->run->attempts,
                      .class = step->error_class != NULL ? step->error_class : class };
  switch (cause->code) {
  case PRUNED_BUSY:
    ruling->delay_ms = g_random_int_range (1000, BUSY_MAX_MS);
    ruling->error = g_strdup (cause->message);
    break;
  case PRUNED_REJECT:
    ruling->state = "dead";
    ruling->attempts++;
    ruling->error = g_strdup (cause->message);
    break;
  default:
    if (g_str_has_prefix (sqlstate, "42") || g_str_has_prefix (sqlstate, "3F") || step->blocked)
      block (step, cause, ruling);
    else if (!timed_out || !cut (step, cause, ruling))
      charge (step, timed_out, cause, ruling);
  }
}

/* A range whose step failed gives back what is left of it: its run does that, with its own
 * attempts. A run that is to die takes its ranges in before: its end tells of all of them. */
static void
cede (const Step *step, Ruling *ruling)
{
  const Run *run = step->run;
  const gboolean goes_on = !ruling->blocked && g_str_equal (ruling->state, "waiting")
                           && ruling->attempts == run->attempts;
  if (g_str_equal (ruling->state, "dead") && ranges_go (run)) {
    json_t *marked
        = ranges_marked (ruling->cursor != NULL ? ruling->cursor : run->cursor, "gather");
    g_clear_pointer (&ruling->cursor, json_decref);
    ruling->cursor = marked;
    ruling->state = "waiting";
  } else if (run->range_of == NULL || (goes_on && ruling->delay_ms < BLOCKED_RETRY_MS))
    return;
  else {
    g_clear_pointer (&ruling->result, json_decref);
    ruling->state = "skipped";
  }
  ruling->attempts = run->attempts;
  ruling->delay_ms = 0;
  ruling->blocked = FALSE;
}

static PgRows *
write_ruling (Pg *pg, const Step *step, const Ruling *ruling, GError **error)
{
  const Run *run = step->run;
  RunFailure failure
      = { run->run_id,      run->step,     run->attempts,  ruling->state,  ruling->attempts,
          ruling->delay_ms, ruling->error, ruling->cursor, ruling->result, ruling->class };
  return run_fail (pg, &failure, error);
}

static gboolean
ends (const Ruling *ruling)
{
  return !g_str_equal (ruling->state, "waiting");
}

static gboolean
note_blocked (Pg *pg, const Step *step, Ruling *ruling, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_set (values, "reason", ruling->error);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "blocked_put.sql", values, error);
  ruling->known = rows != NULL && rows_count (rows) > 0 && rows_bool (rows, 0, "again");
  return rows != NULL;
}

/* Writes the ruling: the run's row, the job's `on_failure`, and the outcome if the run ends. */
static gboolean
execute (Service *service, Pg *pg, Step *step, Ruling *ruling, Bundle *bundle, GError **error)
{
  g_array_set_size (step->logs, 0); /* log lines of the failed try: it was rolled back */
  g_autoptr (PgRows) failed = write_ruling (pg, step, ruling, error);
  if (failed == NULL)
    return FALSE;
  if (rows_count (failed) == 0) /* another process has moved the run */
    return TRUE;
  if (step->run->range_of != NULL)
    return !ends (ruling) || divide_wake (pg, step->run, error);
  if (step->on_failure != NULL && !g_str_equal (ruling->state, "finished")
      && ruling->attempts > step->run->attempts
      && !on_failure_run (pg, step, ruling->state, ruling->error, error))
    return FALSE;
  if (ruling->blocked && !note_blocked (pg, step, ruling, error))
    return FALSE;
  if (!ends (ruling) || ruling->known)
    return TRUE;
  g_autoptr (json_t) result
      = ruling->result != NULL ? json_incref (ruling->result) : step_result (step, "failed");
  g_autofree char *text = json_text (result);
  step->bundle = bundle;
  if (g_str_equal (ruling->state, "dead"))
    step_add_dead (step, text, ruling->class, ruling->error);
  else
    step_add_run_finished (step, ruling->state, text, ruling->error);
  return publisher_store (service->publisher, pg, bundle, error);
}

static void
log_failure (Step *step, const char *sqlstate, const GError *cause, const Ruling *ruling)
{
  g_autoptr (json_t) fields = json_copy (step_log_fields (step));
  const char *class = *sqlstate != '\0' ? sqlstate : VERDICTS[cause->code];
  json_object_set_new (fields, "error_class", json_string (ruling->class));
  json_object_set_new (fields, "error", json_string (cause->message));
  json_object_set_new (fields, "state", json_string (ruling->state));
  json_object_set_new (fields, "attempts", json_integer (ruling->attempts));
  if (!ends (ruling))
    json_object_set_new (fields, "retry_in_s", json_real ((double)ruling->delay_ms / 1000));
  if (ruling->limit > 0)
    json_object_set_new (fields, "limit", json_integer (ruling->limit));
  gboolean charged = cause->code != PRUNED_BUSY && ruling->limit == 0;
  log_fields (charged && !ruling->known ? LOG_ERROR : LOG_WARNING, "Step failed", fields);
  if (ruling->known)
    return;
  stats_add (STATS_FAILURES, step->job->name, class, 1);
  stats_add (STATS_ERRORS, step->job->name, NULL, charged);
  if (ends (ruling) && step->run->range_of == NULL)
    stats_add (STATS_RUNS, step->job->name, ruling->state, 1);
}

static gboolean
commit (Transaction *transaction, GError **error)
{
  FAULT ("answer.before_commit");
  return transaction_commit (transaction, error);
}

Answer
answer_outage (Service *service, Lane *lane, const GError *error)
{
  outage_note (service, lane, error);
  return ANSWER_HOLD;
}

/* Executes the ruling in a transaction of its own. FALSE: it is rolled back. */
static gboolean
carry_out (Service *service, Pg *pg, Step *step, Ruling *ruling, Bundle *bundle, GError **error)
{
  Transaction transaction = { 0 };
  run_set_task (pg, step->job, step->run->run_id);
  if (transaction_begin (&transaction, service->publisher, pg, error)
      && transaction_flush (&transaction, error)
      && execute (service, pg, step, ruling, bundle, error) && commit (&transaction, error))
    return TRUE;
  transaction_rollback (&transaction);
  publisher_abandon (service->publisher, bundle);
  return FALSE;
}

/* `on_failure` has failed with ERROR: drops it from the step, so that the ruling can be carried
 * out without it. FALSE: it was not `on_failure`, or the error is temporary. */
static gboolean
leave_out_on_failure (Step *step, Ruling *ruling, const GError *error)
{
  if (step->on_failure == NULL || error->code == PRUNED_OUTAGE || error->code == PRUNED_BUSY
      || error->code == PRUNED_FATAL)
    return FALSE;
  g_autofree char *first = ruling->error;
  ruling->error = g_strdup_printf ("%s; and then: %s", first, error->message);
  step->on_failure = NULL;
  return TRUE;
}

/* A brake has stopped the step. If its run cannot be counted, or its plan cannot be noted, the run
 * is charged, as for a failed step. */
static Answer
answer_brake (Service *service, Lane *lane, Pg *pg, Step *step)
{
  HoldResult result = { 0 };
  g_autoptr (GError) error = NULL;
  const gboolean divided = step->brake == BRAKE_RANGES;
  if (divided && divide_give_way (service, step, &error))
    return ANSWER_HANDLED;
  if (!divided && hold_carry_out (service, lane, step, &result, &error))
    return result.again ? ANSWER_AGAIN : ANSWER_HANDLED;
  Work work = { step->run->run_id, step->run->step, step->run->attempts };
  if (error->domain != PRUNED_ERROR || error->code == PRUNED_OUTAGE || error->code == PRUNED_DATA)
    return bad_rows_answer (service, lane, pg, &work, error);
  step->brake = BRAKE_NONE;
  json_object_clear (step->counts);
  step->rows = step->below = 0;
  return answer_failure (service, lane, pg, step, result.sqlstate, error);
}

Answer
answer_failure (Service *service, Lane *lane, Pg *pg, Step *step, const char *sqlstate,
                const GError *cause)
{
  if (step->brake != BRAKE_NONE)
    return answer_brake (service, lane, pg, step);
  if (step->again)
    return ANSWER_AGAIN;
  if (cause->code == PRUNED_OUTAGE || cause->code == PRUNED_FATAL)
    return answer_outage (service, lane, cause);
  if (cause->code == PRUNED_BUSY
      && (lane_should_yield (service->lanes, lane) || atomic_load (&service->shared.stopped)))
    return ANSWER_HOLD; /* our own cancel: not charged */
  g_auto (Ruling) ruling = { 0 };
  pass_ruling (step, sqlstate, cause, &ruling);
  cede (step, &ruling);
  g_autoptr (Bundle) bundle
      = bundle_new (step->run->run_id, step->run->step, step->job->name, step->run->slot);
  GError *error = NULL;
  gboolean done = carry_out (service, pg, step, &ruling, bundle, &error);
  if (!done && leave_out_on_failure (step, &ruling, error)) {
    g_clear_error (&error);
    g_clear_pointer (&bundle, bundle_free);
    bundle = bundle_new (step->run->run_id, step->run->step, step->job->name, step->run->slot);
    done = carry_out (service, pg, step, &ruling, bundle, &error);
  }
  if (!done) {
    Work work = { step->run->run_id, step->run->step, step->run->attempts };
    Answer answer = bad_rows_answer (service, lane, pg, &work, error);
    g_error_free (error);
    return answer;
  }
  FAULT ("answer.after_commit");
  steps_log_started (step);
  step_write_logs (step);
  log_failure (step, sqlstate, cause, &ruling);
  wake_in (service->wake, ruling.delay_ms);
  if (bundle_size (bundle) > 0)
    outage_publish (service, lane, bundle);
  return ANSWER_HANDLED;
}
