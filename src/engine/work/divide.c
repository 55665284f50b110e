#include "engine/work/divide.h"

#include "avro/identity.h"
#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/outbox/publish.h"
#include "engine/step/busy.h"
#include "engine/step/page_keys.h"
#include "engine/step/ranges.h"

#define SQL "src/engine/work/sql/"
/* A range gets no more pages at once. So no range ends long after the others, and the division is
 * cheap. */
#define WINDOW_PAGES 100
#define WINDOW_MOST 200000 /* rows that are divided at once */
#define LEAST_PAGES 2      /* of a range */
/* A range that ends wakes its run. If that fails, the run looks again after this time. */
#define WAIT_MS 2000

/* --- dividing --- */

static gint64
least_rows (const Step *step)
{
  return (gint64)LEAST_PAGES * in_force_of (step->job)->ranges * in_force_of (step->job)->batch;
}

static gboolean
may_divide (const Step *step)
{
  const Run *run = step->run;
  return step->finds & FINDS_TO_DIVIDE && step->continues && step->next_cursor != NULL
         && !step->shared && run->attempts == 0 && run->step < RANGE_STEPS / 2
         && step->next.limit == 0 && step->next.looks == 0;
}

/* The last row of each range of the next WINDOW rows. */
static PgRows *
find_ends (Step *step, gint64 window, GError **error)
{
  Run ahead = step_run_ahead (step);
  g_autoptr (PgValues) values = page_values_of (step, &ahead, (int)window - 1);
  pg_values_int (values, "ranges", in_force_of (step->job)->ranges);
  return pg_run (step->pg, step->job->page_split, values, error);
}

static gboolean
has_null (const Job *job, const PgRows *rows)
{
  for (int row = 0; row < rows_count (rows); row++)
    for (guint i = 0; i < job->cursor->len; i++)
      if (rows_text (rows, row, g_array_index (job->cursor, JobCursor, i).name) == NULL)
        return TRUE;
  return FALSE;
}

static void
add_limit (json_t *range, const char *key, gint64 limit)
{
  if (limit >= 0)
    json_object_set_new (range, key, json_integer (limit));
}

/* What the progress of the run and of a range have in common. UNTIL: -1, the range has no end. */
static json_t *
range_of (const Step *step, const PgRows *ends, int until, gint64 quota)
{
  const JobLimits *limits = &in_force_of (step->job)->limits;
  json_t *range = json_object ();
  if (limits->approve == APPROVE_NEVER)
    json_object_set_new (range, "free", json_true ());
  else {
    add_limit (range, "most", limits->max_rows);
    add_limit (range, "share", limits->max_share);
    add_limit (range, "ratio", limits->max_ratio);
  }
  if (until >= 0)
    json_object_set_new (range, "until", page_cursor_at (step->run, ends, until));
  if (quota >= 0)
    json_object_set_new (range, "quota", json_integer (quota));
  if (run_is_approved (step->run))
    json_object_set_new (range, "approved", json_true ());
  return range;
}

/* The rows of the ranges 1, 2 and so on, with their messages. */
static gboolean
place (Step *step, const PgRows *ends, gboolean whole, gint64 quota, GError **error)
{
  const Run *run = step->run;
  GString *ids = array_new (), *steps = array_new (), *slots = array_new (),
          *cursors = array_new (), *all = array_new ();
  for (int n = 1; n < rows_count (ends); n++) {
    const gboolean open = whole && n == rows_count (ends) - 1;
    g_autofree char *key = g_strdup_printf ("%d/%d", n, run->step);
    g_autofree char *id = identity_child (run->run_id, "ranges", key), *cursor_text, *progress_text;
    g_autoptr (json_t) cursor = page_cursor_at (run, ends, n - 1),
                       ranges = range_of (step, ends, open ? -1 : n, quota);
    const RunProgress progress = { .of = step->next.of, .ranges = ranges };
    run_progress_write (step->job, cursor, &progress, &cursor_text, &progress_text);
    Run range = { .run_id = id,
                  .job = step->job,
                  .step = n * RANGE_STEPS + run->step + 1,
                  .slot = run->slot + (guint)n,
                  .scheduled_at_us = run->scheduled_at_us,
                  .due_at_us = run->due_at_us,
                  .args = run->args,
                  .cursor = cursor };
    array_add (ids, range.run_id);
    array_add_int (steps, range.step);
    array_add_int (slots, range.slot);
    array_add (cursors, cursor_text);
    array_add (all, progress_text);
    run_add_work (step->bundle, &range);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  pg_values_set (values, "version", step->job->version);
  pg_values_take (values, "range_id", array_take (ids));
  pg_values_take (values, "step", array_take (steps));
  pg_values_take (values, "slot", array_take (slots));
  pg_values_take (values, "cursor", array_take (cursors));
  pg_values_take (values, "progress", array_take (all));
  g_autoptr (PgRows) placed = pg_run_file (step->pg, SQL "ranges_place.sql", values, error);
  return placed != NULL;
}

static gboolean
divide (Step *step, GError **error)
{
  const int n = in_force_of (step->job)->ranges;
  const gint64 batch = in_force_of (step->job)->batch,
               window = MAX (least_rows (step), MIN (n * WINDOW_PAGES * batch, WINDOW_MOST));
  gint64 room;
  if (!brakes_room (step, &room, error))
    return FALSE;
  if (room < least_rows (step))
    return TRUE;
  g_autoptr (PgRows) ends = find_ends (step, window, error);
  if (ends == NULL || rows_count (ends) < n
      || rows_int (ends, 0, "pruned_total") < least_rows (step) || has_null (step->job, ends))
    return ends != NULL;
  const gboolean whole = rows_int (ends, 0, "pruned_total") < window;
  const gint64 each = room < LIMIT_NONE ? room / n : -1;
  const gint64 done = step->run->rows_done + step->rows + (gint64)step->children->len;
  json_t *own = range_of (step, ends, 0, each >= 0 ? done + each : -1);
  json_object_set_new (own, "beside", json_true ());
  if (!whole) {
    json_t *from = page_cursor_at (step->run, ends, n - 1);
    json_object_set_new (own, "then", json_pack ("[{s:o}]", "from", from));
  }
  run_progress_set (&step->next.ranges, own);
  if (!place (step, ends, whole, each, error))
    return FALSE;
  FAULT_ABOUT ("ranges.divided", step->run->run_id);
  return TRUE;
}

/* --- taking in --- */

/* Adds what a range has done to the result that the run has so far. The run may have become a plan
 * meanwhile; a range never is one. */
static void
add_result (Run *run, const json_t *result)
{
  const char *counter;
  json_t *n;
  if (run->result == NULL)
    run->result = json_object ();
  json_t *applied = json_object_get (run->result, "applied");
  if (applied == NULL && json_object_get (run->result, "mode") != NULL) {
    applied = json_object ();
    json_object_set_new (run->result, "applied", applied);
  }
  json_object_foreach ((json_t *)result, counter, n)
    if (!json_is_integer (n))
      continue;
    else {
      step_add_count (run->result, counter, json_integer_value (n));
      if (applied != NULL && json_integer_value (n) > 0)
        step_add_count (applied, counter, json_integer_value (n));
    }
  json_t *tables = json_object_get (result, STEP_TABLES);
  if (tables != NULL) {
    g_autoptr (json_t) more = json_pack ("{s:O}", STEP_TABLES, tables);
    step_add_counts (run->result, more);
  }
  json_t *reason = json_object_get (result, "reason");
  if (reason != NULL && json_object_get (run->result, "reason") == NULL)
    json_object_set (run->result, "reason", reason);
}

/* The run continues alone, with what is LEFT of its ranges; NULL: at the first row. */
static void
go_on_with (Step *step, const json_t *left)
{
  step_continue (step, json_object (), 0);
  run_progress_set (&step->next.ranges, NULL);
  ranges_begin (left, &step->next_cursor, &step->next);
}

/* All ranges have ended. */
static gboolean
take_in (Step *step, GError **error)
{
  Run *run = step->run;
  gboolean fits = run_cursor_fits (step->job, run);
  g_autoptr (json_t) left = json_array ();
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->run_id);
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "ranges_take.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (!ranges_has (run, "over"))
    json_array_append_new (left, ranges_left (step->job, run));
  for (int i = 0; i < rows_count (rows); i++) {
    g_autoptr (Run) range = run_from_row (step->job, rows, i);
    add_result (run, range->result);
    run_note_versions (run, range);
    step->rows_taken_in += rows_int (rows, i, "rows_done");
    step->numbered = MAX (step->numbered, range->step % RANGE_STEPS);
    if (g_str_equal (rows_text (rows, i, "state"), "finished"))
      continue;
    fits = fits && run_cursor_fits (step->job, range);
    json_array_append_new (left, ranges_left (step->job, range));
  }
  json_t *then = (json_t *)ranges_then (run);
  if (then != NULL)
    json_array_extend (left, then);
  fits = fits && ranges_fit (step->job, left);
  if (fits && json_array_size (left) == 0)
    busy_end (step, NULL);
  else
    go_on_with (step, fits ? left : NULL);
  FAULT_ABOUT ("ranges.taken", run->run_id);
  return TRUE;
}

static gboolean
gather (Step *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  g_autoptr (PgRows) busy = pg_run_file (step->pg, SQL "ranges_busy.sql", values, error);
  if (busy == NULL)
    return FALSE;
  if (!rows_bool (busy, 0, "busy"))
    return take_in (step, error);
  if (ranges_has (step->run, "gather")) {
    g_autoptr (PgRows) hurried = pg_run_file (step->pg, SQL "ranges_hurry.sql", values, error);
    if (hurried == NULL)
      return FALSE;
  }
  step_continue (step, NULL, WAIT_MS);
  return TRUE;
}

gboolean
divide_wake (Pg *pg, const Run *run, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", run->range_of);
  g_autoptr (PgRows) woken = pg_run_file (pg, SQL "ranges_wake.sql", values, error);
  return woken != NULL;
}

/* --- steps --- */

gboolean
divide_before (Step *step, gboolean *done, GError **error)
{
  const Run *run = step->run;
  const gboolean plans = in_force_mode (step->job) == MODE_PLAN || run_is_planned (run),
                 fits = ranges_fit_run (step->job, run);
  *done = TRUE;
  if (run->range_of != NULL && (!run->range_goes || plans || !fits)) {
    step->ceded = TRUE;
    return divide_wake (step->pg, run, error);
  }
  if (run->range_of == NULL && step->finds & FINDS_BESIDE) {
    if (ranges_has (run, "over") || ranges_has (run, "gather"))
      return gather (step, error);
    if (plans || !fits) {
      step_continue (step, NULL, 0);
      ranges_mark (&step->next, "gather");
      return TRUE;
    }
  } else if (run->range_of == NULL && !fits) { /* it begins at the first row */
    go_on_with (step, NULL);
    return TRUE;
  }
  *done = FALSE;
  return TRUE;
}

gboolean
divide_after (Step *step, GError **error)
{
  const Run *run = step->run;
  if (run->range_of != NULL)
    return step->continues || divide_wake (step->pg, run, error);
  if (!(step->finds & FINDS_BESIDE))
    return !may_divide (step) || divide (step, error);
  if (!step->continues) {
    step_continue (step, NULL, 0);
    ranges_mark (&step->next, "over");
  }
  return TRUE;
}

/* --- brakes --- */

static gboolean
write_way (Step *step, GError **error)
{
  const Run *run = step->run;
  const gboolean range = run->range_of != NULL;
  g_auto (RunProgress) progress = run_progress_copy (&run->progress);
  if (!range)
    ranges_mark (&progress, "gather");
  RunFailure failure = { .run = run,
                         .attempts = run->attempts,
                         .state = range ? "skipped" : "waiting",
                         .progress = range ? NULL : &progress };
  g_autoptr (PgRows) written = run_fail (step->pg, &failure, error);
  return written != NULL && (!range || divide_wake (step->pg, run, error));
}

gboolean
divide_give_way (Service *service, Step *step, GError **error)
{
  Transaction transaction = { 0 };
  if (transaction_begin (&transaction, service->publisher, step->pg, error)
      && transaction_flush (&transaction, error) && write_way (step, error)
      && transaction_commit (&transaction, error)) {
    wake_in (service->wake, 0);
    return TRUE;
  }
  transaction_rollback (&transaction);
  return FALSE;
}
