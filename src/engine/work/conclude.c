#include "engine/work/conclude.h"

#include "engine/lane/early.h"
#include "engine/lane/sending.h"
#include "engine/service/stats.h"

/* The log fields of an earlier step of the run in this transaction, BEFORE steps back. New
 * reference. */
static json_t *
fields_of (Step *step, int before)
{
  json_t *fields = json_copy (step_log_fields (step));
  json_object_set_new (fields, "step", json_integer (step->run->step - before));
  return fields;
}

void
conclude_note_started (Step *step)
{
  step->unsaid = TRUE;
}

void
conclude_log_started (Step *step)
{
  if (!step->unsaid)
    return;
  step->unsaid = FALSE;
  if (step->run->step == step->passed && step->run->first)
    stats_observe (STATS_START_DELAY, step->job->name,
                   (double)(step->run->now_us - step->run->due_at_us) / 1e6);
  for (int before = step->passed; before >= 0 && log_enabled (LOG_INFO); before--) {
    g_autoptr (json_t) fields = fields_of (step, before);
    log_fields (LOG_INFO, "Started", fields);
  }
}

static void
write_finished (Step *step, int before, double seconds)
{
  stats_observe (STATS_STEP_SECONDS, step->job->name, seconds);
  stats_add (STATS_STEPS, step->job->name, NULL, 1);
  if (!log_enabled (LOG_INFO))
    return;
  gboolean last = before == 0, goes_on = step->continues || step->run->range_of != NULL;
  g_autoptr (json_t) fields = fields_of (step, before);
  json_object_set_new (fields, "duration_s", json_real (seconds));
  json_object_set_new (fields, "status",
                       json_string (goes_on || !last ? "limit_reached" : "completed"));
  json_object_set_new (fields, "updated_rows", json_integer (0));
  if (last)
    json_object_update (fields, step->counts);
  if (last && step->reason != NULL)
    json_object_set_new (fields, "reason", json_string (step->reason));
  log_fields (LOG_INFO, "Finished", fields);
}

void
conclude_log_ended (Step *step, const char *state, const json_t *result)
{
  const Run *run = step->run;
  const int steps = step_next_number (step);
  if (steps < 2 || run->range_of != NULL || !log_enabled (LOG_INFO))
    return;
  g_autoptr (json_t) fields = json_copy (step_log_fields (step));
  const double before_s
      = run->started_at_us > 0 ? (double)(run->now_us - run->started_at_us) / G_USEC_PER_SEC : 0;
  json_object_del (fields, "step");
  json_object_del (fields, "started_at"); /* of the step */
  json_object_set_new (fields, "state", json_string (state));
  json_object_set_new (fields, "steps", json_integer (steps));
  json_object_set_new (fields, "duration_s",
                       json_real (before_s + (double)step_elapsed_us (step) / G_USEC_PER_SEC));
  json_object_update (fields, (json_t *)result);
  log_fields (LOG_INFO, "Run ended", fields);
}

static void
log_finished (Step *step)
{
  gint64 took_us = step->took_us > 0 ? step->took_us : step_elapsed_us (step);
  double seconds = (double)took_us / 1e6 / (step->passed + 1);
  const char *job = step->job->name, *counter;
  json_t *n;
  for (guint i = 0; step->ages != NULL && i < step->ages->len; i++)
    stats_observe (STATS_OBJECT_AGE, NULL, g_array_index (step->ages, double, i));
  if (step->job->kind->counts_objects) {
    stats_add (STATS_OBJECTS, "false", NULL,
               (double)json_integer_value (json_object_get (step->counts, "updated_rows")));
    stats_add (STATS_OBJECTS, "true", NULL,
               (double)json_integer_value (json_object_get (step->counts, "failed")));
  }
  if (!step->continues && step->run->range_of == NULL)
    stats_add (STATS_RUNS, job, step_end (step), 1);
  json_object_foreach (step->counts, counter, n)
    if (json_is_integer (n))
      stats_add (STATS_ROWS, job, counter, (double)json_integer_value (n));
  for (int before = step->passed; before >= 0; before--)
    write_finished (step, before, seconds);
  if (step->continues || step->followed)
    return;
  g_autoptr (json_t) result = step_result (step, "completed");
  conclude_log_ended (step, step_end (step), result);
}

/* An erasure may go on. */
static gboolean
lets_parent_go_on (const Step *step)
{
  return step->run->parent_id != NULL && (!step->continues || step->waits_for != NULL)
         && job_is_asked (step->job, step->run->args);
}

/* Those of its children that are errands can begin before their messages come. */
static void
offer_children (const Service *service, const Step *step)
{
  for (guint i = 0; i < step->children->len; i++) {
    const RunSpec *spec = &g_array_index (step->children, RunSpec, i);
    if (spec->placed == PLACED_READY)
      early_offer (service->lanes, spec->job, job_slot (spec->job, spec->run_id, spec->args),
                   &(Work){ spec->run_id, 0, spec->attempts }, TRUE);
  }
}

void
conclude_steps (Service *service, Lane *lane, GPtrArray *steps, Bundle **bundle)
{
  gint64 soonest_ms = -1;
  for (guint i = 0; i < steps->len; i++) {
    Step *step = steps->pdata[i];
    g_assert (!pg_in_transaction (step->pg)); /* what follows is seen outside */
    offer_children (service, step);           /* before their messages are sent */
  }
  if (bundle_size (*bundle) > 0)
    sending_begin (service, lane, g_steal_pointer (bundle));
  log_hold ();
  for (guint i = 0; i < steps->len; i++) {
    Step *step = steps->pdata[i];
    conclude_log_started (step);
    step_write_logs (step);
    log_finished (step);
    if (step->continues && step->next_delay_ms > 0
        && (soonest_ms < 0 || step->next_delay_ms < soonest_ms))
      soonest_ms = step->next_delay_ms;
    if (place_any_waiting (step->children) || (!step->continues && step->run->range_of != NULL)
        || lets_parent_go_on (step))
      soonest_ms = 0;
  }
  log_release ();
  if (soonest_ms >= 0)
    wake_in (service->wake, soonest_ms);
}

void
conclude_first (Service *service, Lane *lane)
{
  if (lane->list.errand != NULL)
    lane_end_errand (service->lanes, lane);
  bisect_reset (lane->worker.bisect);
  g_array_remove_index (lane->worker.pending, 0);
}

void
conclude_note_stale (Service *service, const Lane *lane, double n)
{
  if (n > 0)
    stats_add (STATS_STALE_MESSAGES, lane->job->name, NULL, n);
}
