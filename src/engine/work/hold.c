#include "engine/work/hold.h"

#include "base/fault.h"
#include "engine/brakes/count.h"
#include "engine/brakes/foresee.h"
#include "engine/brakes/whole.h"
#include "engine/lane/sending.h"
#include "engine/ledger/named_row.h"
#include "engine/service/stats.h"
#include "engine/step/row_again.h"
#include "engine/work/conclude.h"
#include "engine/ledger/unrecorded.h"

#define WOULD "would_be_held"
#define TIMED_OUT "57014" /* statement_timeout; our own cancel is PRUNED_BUSY */

typedef struct {
  RunCount count;
  BrakeFinding finding;
  gboolean held, planned;
  json_t *result;      /* of a run that has only planned, and has ended */
  gboolean moved;      /* another process has moved the run: nothing is written */
  gboolean known_only; /* counting took too long: the run is judged by what is known without it */
  char sqlstate[6];    /* of the error */
} Held;

static void
held_clear (Held *held)
{
  run_count_clear (&held->count);
  brake_finding_clear (&held->finding);
  g_clear_pointer (&held->result, json_decref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Held, held_clear)

static gboolean
write_run (Step *step, RunFailure *failure, gboolean *moved, GError **error)
{
  failure->run = step->run;
  failure->attempts = step->run->attempts;
  g_autoptr (PgRows) written = run_fail (step->pg, failure, error);
  *moved = written != NULL && rows_count (written) == 0;
  return written != NULL;
}

/* What cannot be brought back is to be known before a run is approved. */
static gboolean
name_unrecorded (Step *step, BrakeFinding *finding, GError **error)
{
  g_autoptr (GPtrArray) columns = unrecorded_find (step->pg, step->job, error);
  g_autofree char *words = columns != NULL ? unrecorded_words (columns) : NULL;
  if (words != NULL) {
    g_autofree char *held = finding->error;
    finding->error = g_strconcat (held, "; not recorded: ", words, NULL);
  }
  return columns != NULL;
}

/* `pruned approve` counts on in this text (run_approve_one.sql). */
static void
say_approvals (const Step *step, BrakeFinding *finding)
{
  g_autofree char *held = finding->error;
  const int needed = in_force_of (step->job)->limits.approvals;
  finding->error = needed > 1 ? g_strdup_printf ("%s; 0 of %d approvals", held, needed)
                              : g_steal_pointer (&held);
}

static gboolean
count_and_judge (Service *service, Step *step, Held *held, GError **error)
{
  run_count_clear (&held->count);
  brake_finding_clear (&held->finding);
  if (held->known_only) {
    count_known (step, &held->count);
    held->count.unknown = whole_counts_first (step, TRUE);
  } else if (!count_run (step, &held->count, error))
    return FALSE;
  else
    held->count.whole = whole_is_of_day (step);
  if (!brake_judge (step, &held->count, &held->finding, error))
    return FALSE;
  FAULT ("brakes.counted");
  if (held->finding.limit == NULL)
    return brake_let_go (step, &held->count, &held->finding, error);
  if (!name_unrecorded (step, &held->finding, error))
    return FALSE;
  say_approvals (step, &held->finding);
  held->held = TRUE;
  RunFailure failure = { .state = "held", .error = held->finding.error };
  if (!write_run (step, &failure, &held->moved, error) || held->moved)
    return held->moved;
  return brake_hold (step, &held->count, &held->finding, error)
         && publisher_store (service->publisher, step->pg, step->bundle, error);
}

/* A row that an event has named stays, as that of every other plan; who has asked is told so. */
static void
answer_planned (Step *step)
{
  const gboolean gone = row_again_found_none (step);
  const NamedEnd end = { NULL, gone ? "gone" : "kept",
                         gone                   ? NULL
                         : step->reason != NULL ? step->reason
                                                : "plan" };
  Run run = *step->run;
  run.job = step->job;
  named_row_tell (step->bundle, &run, step->prefix, end);
}

static gboolean
end_plan (Service *service, Step *step, Held *held, GError **error)
{
  g_autoptr (json_t) result = step_result (step, step->continues ? "limit_reached" : "completed");
  json_object_set_new (result, "mode", json_string ("plan"));
  brake_finding_clear (&held->finding);
  const gint64 own = count_own_rows (result),
               below = step->job->below != NULL
                           ? MAX (0, step->counted - own)
                           : json_integer_value (json_object_get (result, STEP_OTHERS));
  if (!step->continues && !foresee_run (step, step->counted, below, &held->finding, error))
    return FALSE;
  if (held->finding.limit != NULL)
    json_object_set_new (result, WOULD, json_string (foresee_words (&held->finding)));
  g_autofree char *text = json_text (result);
  held->planned = TRUE;
  RunFailure failure = { .state = step->continues ? "waiting" : "finished",
                         .progress = step->continues ? &step->next : NULL,
                         .cursor = step->next_cursor,
                         .result = result };
  if (!write_run (step, &failure, &held->moved, error) || held->moved)
    return held->moved;
  if (!brake_note_planned (step, step->counted, error))
    return FALSE;
  if (step->continues)
    return TRUE;
  g_clear_pointer (&held->result, json_decref);
  held->result = json_incref (result);
  answer_planned (step);
  step_add_run_finished (step, "finished", text, NULL);
  return publisher_store (service->publisher, step->pg, step->bundle, error);
}

static gboolean
carry_out (Service *service, Step *step, Held *held, GError **error)
{
  Transaction transaction = { 0 };
  if (transaction_begin (&transaction, service->publisher, step->pg, error)
      && transaction_flush (&transaction, error)
      && (step->brake == BRAKE_PLANNED ? end_plan (service, step, held, error)
                                       : count_and_judge (service, step, held, error))
      && transaction_commit (&transaction, error))
    return TRUE;
  g_strlcpy (held->sqlstate, pg_sqlstate (step->pg), sizeof held->sqlstate);
  transaction_rollback (&transaction);
  publisher_abandon (service->publisher, step->bundle);
  return FALSE;
}

/* A count that takes too long holds the run by what is known. */
static gboolean
carry_out_in_time (Service *service, Step *step, Held *held, GError **error)
{
  GError *cause = NULL;
  if (carry_out (service, step, held, &cause))
    return TRUE;
  held->known_only = step->brake == BRAKE_COUNT && cause->code == PRUNED_RETRY
                     && g_str_equal (held->sqlstate, TIMED_OUT);
  if (!held->known_only) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  return carry_out (service, step, held, error);
}

static void
log_held (Step *step, const Held *held)
{
  g_autoptr (json_t) fields = json_copy (step_log_fields (step));
  json_object_set_new (fields, "error", json_string (held->finding.error));
  json_object_set_new (fields, "estimated", json_boolean (held->count.estimated));
  json_object_set_new (fields, "values", json_incref (held->count.values));
  g_autofree char *remedy = g_strdup_printf ("pruned approve %s", step->run->run_id);
  json_object_set_new (fields, "remedy", json_string (remedy));
  log_fields (LOG_WARNING, "Run is held", fields);
}

static void
log_planned (Step *step, const Held *held)
{
  conclude_log_started (step);
  const double seconds = (double)step_elapsed_us (step) / 1e6;
  g_autoptr (json_t) fields = json_copy (step_log_fields (step));
  json_object_set_new (fields, "duration_s", json_real (seconds));
  json_object_set_new (fields, "status",
                       json_string (step->continues ? "limit_reached" : "completed"));
  json_object_set_new (fields, "mode", json_string ("plan"));
  json_object_set_new (fields, "updated_rows", json_integer (0));
  json_object_update (fields, step->counts);
  if (held->finding.limit != NULL)
    json_object_set_new (fields, WOULD, json_string (foresee_words (&held->finding)));
  if (step->reason != NULL)
    json_object_set_new (fields, "reason", json_string (step->reason));
  log_fields (LOG_INFO, "Finished", fields);
  stats_observe (STATS_STEP_SECONDS, step->job->name, seconds);
  stats_add (STATS_STEPS, step->job->name, NULL, 1);
  if (step->continues)
    return;
  stats_add (STATS_RUNS, step->job->name, "finished", 1);
  conclude_log_ended (step, "finished", held->result);
}

gboolean
hold_carry_out (Service *service, Lane *lane, Step *step, HoldResult *result, GError **error)
{
  const Run *run = step->run;
  g_auto (Held) held = { 0 };
  g_autoptr (Bundle) bundle = bundle_new (run->run_id, run->step, run->job->name, run->slot);
  step_tell_by (step, bundle);
  gboolean done = carry_out_in_time (service, step, &held, error);
  *result = (HoldResult){ .again = !held.held && !held.planned };
  g_strlcpy (result->sqlstate, held.sqlstate, sizeof result->sqlstate);
  if (!done) {
    step_tell_by (step, NULL);
    return FALSE;
  }
  FAULT ("brakes.held");
  if (held.moved)
    return TRUE;
  if (held.planned)
    log_planned (step, &held);
  else if (held.held)
    log_held (step, &held);
  else
    return TRUE;
  if (step->continues)
    wake_in (service->wake, 0);
  if (bundle_size (bundle) > 0)
    sending_finish (service, lane, bundle);
  return TRUE;
}
