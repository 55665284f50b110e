/* The end of a transaction: what its steps have gathered becomes rows, in the order of
 * docs/design.md, the runs last.
 *
 * Length: a reader follows it in that order.
 */
#include "base/cut.h"
#include "base/plural.h"
#include "base/spoken.h"
#include "engine/job/arguments.h"
#include "engine/job/in_force.h"
#include "engine/ledger/named_row.h"
#include "engine/step/busy.h"
#include "engine/step/pace.h"
#include "engine/step/quarantine.h"
#include "engine/step/row_again.h"
#include "engine/step/tell.h"

#include <string.h>

#define SQL "src/engine/step/sql/"
#define ERROR_BYTES 500000 /* told of an error, whatever made it: Kafka takes 1 MB by default */

static gint64
count_in (const json_t *result, const char *counter)
{
  return json_integer_value (json_object_get (result, counter));
}

/* Whether the run of STEP, its last one, is no success by its RESULT: rows have failed, and none
 * has gone, been changed, or been given to a run of its own. Rows that are kept were not to go. The
 * state of such a run is `finished`, as the engine is done with it: the rows are in quarantine, and
 * a later run tries them again. Its status is `failed`. Invariant: who asks whether a run succeeded
 * asks for both, the state and the status. */
static gboolean
failed_run_is (const Step *step, const json_t *result)
{
  return step->run->range_of == NULL && count_in (result, "failed") > 0
         && count_in (result, "updated_rows") == 0 && count_in (result, "already_running") == 0
         && step->run->rows_done + step->rows + step->rows_taken_in == 0;
}

/* The error of such a run; NULL: it is none. g_free it. */
static char *
failed_run_error (const Step *step, const json_t *result)
{
  const guint n = step->failed_reasons->len; /* of its last step alone */
  const gint64 failed = count_in (result, "failed");
  g_autofree char *number = spoken_number (failed);
  if (!failed_run_is (step, result))
    return NULL;
  return g_strdup_printf (
      "%s %s failed: %s", number, plural (failed, "row was due, and", "rows were due, and all"),
      n > 0 ? (const char *)step->failed_reasons->pdata[n - 1] : "`pruned quarantine list --all`");
}

static gboolean
settle_quarantine (Step *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  if (step->failed_items->len > 0) {
    char *states = quarantine_states (step->pg, step->failed_items, error);
    if (states == NULL)
      return FALSE;
    pg_values_take (values, "state", states);
    GString *park = array_new ();
    for (guint i = 0; i < step->failed_park->len; i++)
      array_add_int (park, g_array_index (step->failed_park, int, i));
    pg_values_take (values, "item", array_of_texts (step->failed_items));
    pg_values_take (values, "reason", array_of_texts (step->failed_reasons));
    pg_values_take (values, "park_after", array_take (park));
    pg_values_int (values, "park_retry_days", step_setting (step, "park_retry_days"));
    g_autoptr (PgRows) put = pg_run_file (step->pg, SQL "quarantine_put.sql", values, error);
    if (put == NULL)
      return FALSE;
    for (int i = 0; i < rows_count (put); i++) {
      g_autofree char *why = g_strconcat (ROW_AGAIN_WHY, rows_text (put, i, "reason"), NULL);
      row_again_note (step, rows_text (put, i, "item"), why, rows_int (put, i, "wait_ms"));
    }
  }
  if (step->waits_for != NULL || job_is_asked_for_rows (step->job, step->run->args))
    row_again_wait (step);
  if (step->busy_items->len > 0 && !busy_settle (step, error))
    return FALSE;
  if (step->cured_items->len == 0)
    return TRUE;
  pg_values_take (values, "item", array_of_texts (step->cured_items));
  g_autoptr (PgRows) removed = pg_run_file (step->pg, SQL "quarantine_remove.sql", values, error);
  return removed != NULL;
}

static int
by_key_then_id (gconstpointer a, gconstpointer b)
{
  const RunSpec *x = a, *y = b;
  int order = g_strcmp0 (x->unique_key, y->unique_key);
  return order != 0 ? order : strcmp (x->run_id, y->run_id);
}

/* A child's arguments must be those that its job accepts. */
static gboolean
check_children (const Step *step, GError **error)
{
  for (guint i = 0; i < step->children->len; i++) {
    const RunSpec *child = &g_array_index (step->children, RunSpec, i);
    g_autofree char *reason = arguments_child_refusal (child->job, child->args);
    if (reason == NULL)
      continue;
    g_set_error (error, PRUNED_ERROR, PRUNED_RETRY, "the child %s of %s is refused: %s",
                 child->job->name, step->job->name, reason);
    return FALSE;
  }
  return TRUE;
}

static gboolean
settle_children (Step *step, GError **error)
{
  if (step->children->len == 0)
    return TRUE;
  if (!check_children (step, error))
    return FALSE;
  g_array_sort (step->children, by_key_then_id);
  if (!place_runs (step->pg, step->children, TRUE, error))
    return FALSE;
  for (guint i = 0; i < step->children->len; i++) {
    Placed placed = g_array_index (step->children, RunSpec, i).placed;
    if (placed == PLACED_RUNNING)
      step_count (step, "already_running", 1);
    else if (placed != PLACED_KNOWN) {
      step_count (step, "scheduled", 1);
      step_add_rows (step, 1, 0, 0);
    }
  }
  place_add_work (step->bundle, step->children);
  return TRUE;
}

/* Each counter of a job is present from its first step on, so that 0 differs from "not counted". */
static void
add_declared_counters (const Step *step, json_t *result)
{
  static const char *const always[] = { "updated_rows" };
  for (guint i = 0; i < G_N_ELEMENTS (always); i++)
    step_add_count (result, always[i], 0);
  for (guint i = 0; i < step->job->whats->len; i++)
    step_add_count (result, ((const JobWhat *)step->job->whats->pdata[i])->counter, 0);
  if (step->job->decide != NULL)
    step_add_count (result, "failed", 0);
  if (step->job->failed_counter != NULL)
    step_add_count (result, step->job->failed_counter, 0);
  if (step->job->children != NULL)
    step_add_count (result, "scheduled", 0);
}

/* Counters of the steps of RUN that were no plan; NULL: there were none. */
static json_t *
applied_before_plan (const Run *run)
{
  if (json_object_get (run->result, "mode") != NULL)
    return json_incref (json_object_get (run->result, "applied"));
  json_t *applied = json_object ();
  const char *counter;
  json_t *n;
  json_object_foreach (run->result, counter, n)
    if (json_integer_value (n) > 0)
      json_object_set (applied, counter, n);
  if (json_object_size (applied) == 0)
    g_clear_pointer (&applied, json_decref);
  return applied;
}

static void
add_mode (const Step *step, json_t *result)
{
  if (in_force_mode (step->job) != MODE_PLAN && !run_is_planned (step->run))
    return;
  json_t *applied = applied_before_plan (step->run);
  json_object_set_new (result, "mode", json_string ("plan"));
  if (applied != NULL)
    json_object_set_new (result, "applied", applied);
}

/* A built-in job goes on with what another version of the program has begun. */
static void
note_version (const Step *step)
{
  const char *begun = step->run->version;
  if (begun != NULL && g_strcmp0 (begun, step->job->version) != 0)
    run_note_version (step->run, begun);
}

json_t *
step_result (const Step *step, const char *status)
{
  json_t *result = json_object ();
  json_object_set_new (result, "status", json_string (status));
  add_declared_counters (step, result);
  const char *counter;
  json_t *n;
  json_object_foreach (step->run->result, counter, n)
    if (json_is_integer (n))
      step_add_count (result, counter, json_integer_value (n));
  static const char *const objects[] = { STEP_TABLES, STEP_KEPT };
  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    if ((n = json_object_get (step->run->result, objects[i])) != NULL)
      json_object_set_new (result, objects[i], json_deep_copy (n));
  step_add_counts (result, step->counts);
  const char *reason = step->reason != NULL
                           ? step->reason
                           : json_string_value (json_object_get (step->run->result, "reason"));
  if (reason != NULL)
    json_object_set_new (result, "reason", json_string (reason));
  note_version (step);
  json_t *versions = json_object_get (step->run->result, "versions");
  if (versions != NULL)
    json_object_set (result, "versions", versions);
  add_mode (step, result);
  if (g_str_equal (status, "completed") && (step->dead_of != NULL || failed_run_is (step, result)))
    json_object_set_new (result, "status", json_string ("failed"));
  return result;
}

void
step_add_run_finished (Step *step, const char *state, const char *result, const char *error_text)
{
  char number[16];
  if (step->run->range_of != NULL) /* its run has not ended */
    return;
  g_snprintf (number, sizeof number, "%d", step->run->step);
  g_autofree char *error = error_text != NULL ? cut_text (error_text, ERROR_BYTES) : NULL;
  const char *fields[] = { step->run->run_id, number, step->job->name, state, result, error };
  step_add_outcome (step, "RunFinished", step->run->run_id, fields);
}

void
step_add_dead (Step *step, const char *result, const char *error_class, const char *error_text)
{
  g_autofree char *reason = error_class != NULL
                                ? g_strdup_printf ("%s: %s", error_class, error_text)
                                : g_strdup (error_text);
  if (step->run->range_of != NULL)
    return;
  Run run = *step->run;
  run.job = step->job;
  named_row_tell (step->bundle, &run, step->prefix, (NamedEnd){ "dead", "failed", reason });
  step_add_run_finished (step, "dead", result, error_text);
}

static void
add_continuation (Step *step)
{
  Run next = step_run_ahead (step);
  run_add_work (step->bundle, &next);
}

const char *
step_end (const Step *step)
{
  return step->dead_of != NULL ? "dead" : step->ceded ? "skipped" : "finished";
}

static char *
failure_of (const Step *step, const json_t *result)
{
  return step->dead_of != NULL ? g_strdup (step->dead_of) : failed_run_error (step, result);
}

/* One row of advance.sql; what follows from it is added to the bundle. */
static void
add_advance (Step *step, GString *const *arrays)
{
  const char *end = step_end (step), *state = !step->continues          ? end
                                              : step->next_delay_ms > 0 ? "waiting"
                                                                        : "ready";
  g_autoptr (json_t) result = step_result (step, step->continues ? "limit_reached" : "completed");
  g_autofree char *result_text = json_text (result),
                  *failure = step->continues ? NULL : failure_of (step, result);
  char *cursor = NULL, *progress = NULL;
  if (step->continues || step->passed > 0) {
    const Run last = step_run_ahead (step);
    run_progress_write (step->job, last.cursor, &last.progress, &cursor, &progress);
  }
  if (!step->continues)
    step_add_run_finished (step, state, result_text, failure);
  else if (step->next_delay_ms <= 0)
    add_continuation (step);
  array_add (arrays[0], step->run->run_id);
  array_add_int (arrays[1], step_next_number (step));
  array_add (arrays[2], state);
  array_add (arrays[3], cursor);
  array_add (arrays[4], result_text);
  array_add (arrays[5], failure != NULL ? failure : step->wait_reason);
  array_add_int (arrays[6], step->continues ? step->next_delay_ms : 0);
  array_add_int (arrays[7], step->rows + step->rows_taken_in);
  const Step *counted = step, *limited = step; /* the last that says it */
  while (counted->counted < 0 && counted->before != NULL)
    counted = counted->before;
  while (limited->limited < 0 && limited->before != NULL)
    limited = limited->before;
  array_add_int (arrays[8], counted->counted);
  array_add_int (arrays[9], limited->limited);
  array_add (arrays[10], step->job->version);
  array_add (arrays[11], step->waits_for);
  array_add (arrays[12], progress);
  g_free (cursor);
  g_free (progress);
}

/* --- several steps of one run in a transaction --- */

Run *
step_next_run (Step *step)
{
  Run *next = g_new (Run, 1);
  *next = step_run_ahead (step); /* borrows the rest */
  next->cursor = next->cursor != NULL ? json_incref (next->cursor) : NULL;
  next->progress = run_progress_copy (&next->progress);
  next->result = step_result (step, "limit_reached");
  next->rows_done += step->rows + step->rows_taken_in + (gint64)step->children->len;
  next->rows_counted = step->counted >= 0 ? step->counted : next->rows_counted;
  next->rows_limit = step->limited >= 0 ? step->limited : next->rows_limit;
  next->first = FALSE;
  return next;
}

void
step_is_followed (Step *step)
{
  step->followed = TRUE;
}

void
step_next_run_free (Run *run)
{
  g_clear_pointer (&run->cursor, json_decref);
  run_progress_clear (&run->progress);
  g_clear_pointer (&run->result, json_decref);
  g_free (run);
}

/* Only the last step of a run moves its row on: for all of them. */
static void
add_before (Step *step)
{
  Step *before = step->before;
  if (before == NULL)
    return;
  step_add_rows (step, before->rows, 0, 0);
  json_decref (step->run->result); /* the children are counted only now */
  step->run->result = step_result (before, "limit_reached");
}

/* --- */

/* The outcomes, or the entries in the ledger of erasures, are read from the audit. */
static gboolean
is_told_from_audit (const Job *job)
{
  return in_force_outcomes (job->name) == OUTCOMES_ALL
         || (job->remember_days > 0 && job->sentence == NULL);
}

/* All rows of those of STEPS whose job says so. */
static gboolean
settle_told (const GPtrArray *steps, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < steps->len; i++)
    if (is_told_from_audit (((const Step *)steps->pdata[i])->job))
      g_ptr_array_add (all, steps->pdata[i]);
  return all->len == 0 || tell_rows (all, error);
}

gboolean
steps_settle (GPtrArray *steps, Publisher *publisher, GError **error)
{
  static const char *const names[]
      = { "run_id", "step",    "state",   "cursor",  "result",    "error",   "delay_ms",
          "rows",   "counted", "limited", "version", "waits_for", "progress" };
  Step *first = steps->pdata[0];
  GString *arrays[G_N_ELEMENTS (names)];
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint i = 0; i < steps->len; i++)
    if (!((const Step *)steps->pdata[i])->followed)
      pace_continue (steps->pdata[i]);
  for (guint i = 0; i < steps->len; i++)
    if (!settle_quarantine (steps->pdata[i], error) || !settle_children (steps->pdata[i], error))
      return FALSE;
  if (!settle_told (steps, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    arrays[i] = array_new ();
  for (guint i = 0; i < steps->len; i++) {
    add_before (steps->pdata[i]);
    if (!((const Step *)steps->pdata[i])->followed)
      add_advance (steps->pdata[i], arrays);
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    pg_values_take (values, names[i], array_take (arrays[i]));
  if (!bundle_is_whole (first->bundle, error))
    return FALSE;
  if (bundle_size (first->bundle) > 0
      && !publisher_store (publisher, first->pg, first->bundle, error))
    return FALSE;
  return pg_queue (first->pg, pg_statement (SQL "advance.sql"), values, error);
}
