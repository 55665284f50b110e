/* Length: a reader follows a run's row from its columns to what is written of it.
 */
#include "engine/ledger/run.h"

#include "avro/message.h"
#include "base/clock.h"
#include "base/uuid5.h"
#include "engine/service/envelope.h"

#include <string.h>

#define APPROVAL_ENDED 1 /* approved_until_us, as of fence.sql */

void
run_free (Run *run)
{
  if (run == NULL)
    return;
  g_clear_pointer (&run->args, json_decref);
  g_clear_pointer (&run->cursor, json_decref);
  run_progress_clear (&run->progress);
  g_clear_pointer (&run->result, json_decref);
  g_clear_pointer (&run->context, json_decref);
  g_free (run->run_id);
  g_free (run->parent_id);
  g_free (run->range_of);
  g_free (run->error);
  g_free (run->version);
  g_free (run->named_table);
  g_free (run->waits_for);
  g_free (run->wrong);
  g_free (run);
}

/* An object; NULL: none, or unreadable, and then *WRONG holds the reason (PostgreSQL stores
 * numbers that a JSON parser rejects). */
static json_t *
json_at (const PgRows *rows, int row, const char *name, char **wrong)
{
  int column = rows_column (rows, name);
  const char *text = column >= 0 ? rows_at (rows, row, column) : NULL;
  if (text == NULL)
    return NULL;
  if (g_str_equal (text, "{}"))
    return json_object ();
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) value = json_parse_exact (text, strlen (text), &error);
  if (json_is_plain_object (value))
    return g_steal_pointer (&value);
  if (wrong != NULL && *wrong == NULL)
    *wrong = g_strdup_printf ("the run's row: %s: %s", name,
                              error != NULL ? error->message : "not a JSON object");
  return NULL;
}

static char *
text_at (const PgRows *rows, int row, const char *name)
{
  int column = rows_column (rows, name);
  return column >= 0 ? g_strdup (rows_at (rows, row, column)) : NULL;
}

void
run_note_version (Run *run, const char *version)
{
  gsize i;
  json_t *one, *versions = json_object_get (run->result, "versions");
  if (run->result == NULL)
    run->result = json_object ();
  if (versions == NULL) {
    versions = json_array ();
    json_object_set_new (run->result, "versions", versions);
  }
  json_array_foreach (versions, i, one)
    if (g_strcmp0 (json_string_value (one), version) == 0)
      return;
  json_array_append_new (versions, json_string (version));
}

void
run_note_versions (Run *run, const Run *range)
{
  gsize i;
  json_t *one;
  json_array_foreach (json_object_get (range->result, "versions"), i, one)
    run_note_version (run, json_string_value (one));
  if (range->version != NULL && g_strcmp0 (range->version, run->job->version) != 0)
    run_note_version (run, range->version);
}

/* `pruned retry` lets the run go on with another version of its job than an approval was for. */
static gboolean
goes_on_otherwise (const Run *run, const Job *job)
{
  const json_t *versions = json_object_get (run->result, "versions");
  const size_t n = json_array_size (versions);
  const char *last = n > 0 ? json_string_value (json_array_get (versions, n - 1)) : NULL;
  return run->version == NULL && last != NULL && job->version != NULL
         && !g_str_equal (last, job->version);
}

Run *
run_from_row (const Job *job, const PgRows *rows, int row)
{
  Run *run = g_new0 (Run, 1);
  run->job = job;
  run->run_id = text_at (rows, row, "run_id");
  run->step = (int)rows_int (rows, row, "step");
  run->attempts = (int)rows_int (rows, row, "attempts");
  run->slot = (guint)rows_int (rows, row, "slot");
  run->scheduled_at_us = rows_int (rows, row, "scheduled_at");
  run->due_at_us = rows_int (rows, row, "due_at");
  run->args = json_at (rows, row, "args", &run->wrong);
  if (run->args == NULL)
    run->args = json_object ();
  run->cursor = json_at (rows, row, "cursor", &run->wrong);
  g_autoptr (json_t) progress = json_at (rows, row, "progress", &run->wrong);
  run->progress = run_progress_read (job, &run->cursor, progress);
  run->parent_id = text_at (rows, row, "parent_id");
  run->error = text_at (rows, row, "error");
  run->range_of = text_at (rows, row, "range_of");
  run->version = text_at (rows, row, "job_version");
  run->named_table = text_at (rows, row, "named_table");
  run->waits_for = text_at (rows, row, "waits_for");
  run->result = json_at (rows, row, "result", NULL);
  run->context = json_at (rows, row, "context", NULL);
  if (rows_column (rows, "now") >= 0) {
    run->now_us = rows_int (rows, row, "now");
    run->holds = rows_bool (rows, row, "holds");
    run->first = rows_bool (rows, row, "first");
    run->started_at_us = rows_int (rows, row, "started_at");
    run->range_goes = rows_bool (rows, row, "range_goes");
    run->rows_done = rows_int (rows, row, "rows_done");
    run->rows_counted = rows_int (rows, row, "rows_counted");
    run->rows_limit = rows_int (rows, row, "rows_limit");
    run->approved_until_us = rows_int (rows, row, "approved_until");
    run->approved_rows = rows_int (rows, row, "approved_rows");
    if (run->approved_until_us > 0 && goes_on_otherwise (run, job))
      run->approved_until_us = APPROVAL_ENDED;
  }
  return run;
}

gint64
run_timer_due_us (const char *date, gint64 scheduled_at_us)
{
  if (date == NULL)
    return scheduled_at_us;
  g_autofree char *midnight
      = g_strconcat (date, strchr (date, 'T') == NULL ? "T00:00:00Z" : "", NULL);
  gint64 us = scheduled_at_us;
  g_autoptr (GError) error = NULL;
  if (!clock_parse (midnight, &us, &error)) /* the date was checked when decoded; a year that a
                                               timer cannot hold counts as T */
    us = scheduled_at_us;
  return MAX (us, scheduled_at_us);
}

/* Computed from the arguments and not from the row: `due_at` moves with each back-off, and can be
 * set by hand. */
gint64
run_earliest_us (const Job *job, gint64 scheduled_at_us, const json_t *args)
{
  gint64 earliest_us = scheduled_at_us;
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    gboolean is_its
        = event->due != NULL && (event->key == NULL || json_object_get (args, event->key) != NULL);
    const char *date = is_its ? json_string_value (json_object_get (args, event->due)) : NULL;
    earliest_us = MAX (earliest_us, run_timer_due_us (date, scheduled_at_us));
  }
  return earliest_us;
}

#define NAME_MOST 63 /* bytes of an application_name; PostgreSQL cuts off what is behind */
#define SHORT_ID 8

static char *
task_of (const Job *job, const char *run_id)
{
  const int room = NAME_MOST - (int)strlen ("pruned  ") - SHORT_ID;
  return g_strdup_printf ("pruned %.*s %.*s", room, job->name, SHORT_ID, run_id);
}

void
run_set_task (Pg *pg, const Job *job, const char *run_id)
{
  g_autofree char *task = task_of (job, run_id);
  pg_set_task (pg, task);
}

gboolean
run_set_task_of_range (Pg *pg, const Run *run, GError **error)
{
  if (run->range_of == NULL)
    return TRUE;
  g_autofree char *task = task_of (run->job, run->range_of);
  return pg_change_task (pg, task, error);
}

char *
run_ids (const GPtrArray *runs)
{
  GString *ids = array_new ();
  for (guint i = 0; i < runs->len; i++)
    array_add (ids, ((const Run *)runs->pdata[i])->run_id);
  return array_take (ids);
}

void
run_add_work (Bundle *bundle, const Run *run)
{
  char step[16], attempt[16];
  g_snprintf (step, sizeof step, "%d", run->step);
  g_snprintf (attempt, sizeof attempt, "%d", run->attempts);
  g_autofree char *scheduled_at = clock_format (run->scheduled_at_us);
  g_autofree char *due_at = clock_format (run->due_at_us);
  g_autofree char *args = json_text (run->args);
  g_autofree char *cursor = run->cursor != NULL ? json_text (run->cursor) : NULL;
  const char *fields[]
      = { run->run_id, run->job->name, step, attempt, scheduled_at, due_at, args, cursor };
  g_autofree char *ce_id = g_strdup_printf ("%s/%d/%d", run->run_id, run->step, run->attempts);
  bundle_add (bundle, run->job->work_topic, job_partition (run->job, run->slot), run->run_id,
              "pruned.Work", ce_id, fields);
}

void
work_clear (gpointer work)
{
  g_free (((Work *)work)->run_id);
}

GArray *
works_new (void)
{
  GArray *works = g_array_new (FALSE, TRUE, sizeof (Work));
  g_array_set_clear_func (works, work_clear);
  return works;
}

gboolean
work_decode (const KafkaMessage *message, const Job *job, Work *work, GError **error)
{
  static const char *const wanted[] = { "run_id", "job", "step", "attempt", NULL };
  MessageSource source = { message->value,
                           message->value_len,
                           message->headers,
                           message->n_headers,
                           "pruned.Work",
                           "pruned.Work",
                           wanted };
  MessageDecoded decoded = { 0 };
  g_autofree char *foreign = origin_refusal (message);
  if (foreign != NULL)
    g_set_error_literal (error, PRUNED_ERROR, PRUNED_REJECT, foreign);
  if (foreign != NULL || !message_decode (&source, &decoded, error))
    return FALSE;
  const char *run_id = json_string_value (json_object_get (decoded.content, "run_id"));
  const char *name = json_string_value (json_object_get (decoded.content, "job"));
  gboolean ok = uuid5_is_valid (run_id) && g_str_equal (name, job->name);
  if (!ok)
    g_set_error (error, PRUNED_ERROR, PRUNED_REJECT,
                 "undecodable: run_id '%s' of job '%s' on the topic of %s", run_id, name,
                 job->name);
  else
    *work = (Work){ g_strdup (run_id),
                    (int)json_integer_value (json_object_get (decoded.content, "step")),
                    (int)json_integer_value (json_object_get (decoded.content, "attempt")) };
  message_decoded_clear (&decoded);
  return ok;
}

PgRows *
run_fail (Pg *pg, const RunFailure *failure, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  const Run *run = failure->run;
  char *cursor = NULL, *progress = NULL;
  if (failure->progress != NULL)
    run_progress_write (run->job, failure->cursor != NULL ? failure->cursor : run->cursor,
                        failure->progress, &cursor, &progress);
  pg_values_set (values, "run_id", run->run_id);
  pg_values_int (values, "step", run->step);
  pg_values_int (values, "attempt", run->attempts);
  pg_values_set (values, "state", failure->state);
  pg_values_int (values, "attempts", failure->attempts);
  pg_values_int (values, "delay_ms", failure->delay_ms);
  pg_values_set (values, "error", failure->error);
  pg_values_set (values, "error_class", failure->error_class);
  pg_values_take (values, "cursor", cursor);
  pg_values_take (values, "progress", progress);
  pg_values_take (values, "result", failure->result != NULL ? json_text (failure->result) : NULL);
  return pg_run_file (pg, "src/engine/ledger/sql/fail.sql", values, error);
}

const char *
run_known_id (const Run *run)
{
  return run->range_of != NULL ? run->range_of : run->run_id;
}

gboolean
run_in_ranges (const Run *run)
{
  return run->range_of != NULL || run->progress.ranges != NULL;
}

gboolean
run_has_ended (const char *state)
{
  static const char *const ended[] = { "finished", "dead", "skipped", NULL };
  return g_strv_contains (ended, state);
}

gboolean
run_is_approved (const Run *run)
{
  return run->approved_until_us > run->now_us;
}

gboolean
run_was_approved (const Run *run)
{
  return run->approved_until_us > 0 && !run_is_approved (run);
}

gboolean
run_event_has (const char *field)
{
  return g_str_equal (field, RUN_EVENT_ID) || g_str_equal (field, RUN_EVENT_SOURCE);
}

const char *
run_event_text (const Run *run, const char *field)
{
  return json_string_value (json_object_get (run->context, field));
}

gboolean
run_is_planned (const Run *run)
{
  return run->progress.plan_gone != NULL;
}

gboolean
run_cursor_fits (const Job *job, const Run *run)
{
  const char *of = json_string_value (run->progress.of);
  return of == NULL || job->cursor_of == NULL || g_str_equal (of, job->cursor_of);
}

void
run_cursor_forget (Run *run)
{
  json_decref (run->cursor);
  run->cursor = json_object ();
  run_progress_set (&run->progress.of, NULL);
  run_progress_set (&run->progress.portion, NULL);
  run->progress.looks = 0;
}

RunProgress
run_progress_behind (const Run *run)
{
  RunProgress behind = run_progress_copy (&run->progress);
  const char *of = run->job->cursor_of;
  behind.systemic = behind.timeouts = 0;
  run_progress_set (&behind.portion, NULL);
  run_progress_set (&behind.of, of != NULL ? json_string (of) : NULL);
  return behind;
}

/* --- progress --- */

typedef struct {
  const char *key;
  gsize at;
  gboolean is_json;
  gboolean of_all; /* also of jobs in C, whose cursors have keys that they choose themselves */
} Part;

#define NUMBER(name, of_all) { #name, G_STRUCT_OFFSET (RunProgress, name), FALSE, of_all }
#define JSON(name) { #name, G_STRUCT_OFFSET (RunProgress, name), TRUE, FALSE }

static const Part PARTS[] = {
  NUMBER (limit, TRUE),  NUMBER (systemic, TRUE), NUMBER (timeouts, TRUE), NUMBER (by_rows, FALSE),
  NUMBER (looks, FALSE), NUMBER (index, FALSE),   JSON (began_at),         JSON (of),
  JSON (portion),        JSON (ranges),           JSON (plan_gone),        JSON (waits),
  NUMBER (again, FALSE)
};

static json_t **
json_of (const RunProgress *progress, const Part *part)
{
  return (json_t **)G_STRUCT_MEMBER_P (progress, part->at);
}

static gint64 *
number_of (const RunProgress *progress, const Part *part)
{
  return (gint64 *)G_STRUCT_MEMBER_P (progress, part->at);
}

RunProgress
run_progress_copy (const RunProgress *progress)
{
  RunProgress copy = *progress;
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++)
    if (PARTS[i].is_json)
      json_incref (*json_of (&copy, &PARTS[i]));
  return copy;
}

void
run_progress_clear (RunProgress *progress)
{
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++)
    if (PARTS[i].is_json)
      json_decref (*json_of (progress, &PARTS[i]));
  *progress = (RunProgress){ 0 };
}

void
run_progress_take (RunProgress *progress, RunProgress *other)
{
  run_progress_clear (progress);
  *progress = *other;
  *other = (RunProgress){ 0 };
}

void
run_progress_set (json_t **part, json_t *value)
{
  json_decref (*part);
  *part = value;
}

static gboolean
is_column (const Job *job, const char *key)
{
  for (guint i = 0; i < job->cursor->len; i++)
    if (g_str_equal (g_array_index (job->cursor, JobCursor, i).name, key))
      return TRUE;
  return FALSE;
}

/* In the old form the cursor of JOB has PART. */
static gboolean
is_in_cursor (const Job *job, const Part *part)
{
  return (part->of_all || job->kind->pages) && !is_column (job, part->key);
}

static json_t *
json_from (const RunProgress *progress, const Part *part)
{
  if (part->is_json)
    return json_incref (*json_of (progress, part));
  const gint64 n = *number_of (progress, part);
  return n != 0 ? json_integer (n) : NULL;
}

RunProgress
run_progress_read (const Job *job, json_t **cursor, const json_t *column)
{
  RunProgress progress = { 0 };
  gboolean named = FALSE, moved = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++) {
    const Part *part = &PARTS[i];
    const gboolean in_cursor = is_in_cursor (job, part);
    json_t *value = json_object_get (in_cursor ? *cursor : column, part->key);
    named |= is_column (job, part->key);
    if (part->is_json)
      *json_of (&progress, part) = json_incref (value);
    else
      *number_of (&progress, part) = json_integer_value (value);
    moved |= in_cursor && json_object_del (*cursor, part->key) == 0;
  }
  /* The version before has overwritten such a column: nobody knows where the run was. */
  if (*cursor != NULL && ((moved && json_object_size (*cursor) == 0) || (named && column == NULL)))
    g_clear_pointer (cursor, json_decref);
  return progress;
}

void
run_progress_write (const Job *job, const json_t *cursor, const RunProgress *progress,
                    char **cursor_text, char **text)
{
  g_autoptr (json_t) both = cursor != NULL ? json_copy ((json_t *)cursor) : json_object ();
  g_autoptr (json_t) column = json_object ();
  gboolean known = cursor != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++) {
    json_t *value = json_from (progress, &PARTS[i]);
    if (value != NULL && is_in_cursor (job, &PARTS[i]))
      json_object_set (both, PARTS[i].key, value);
    if (value != NULL)
      json_object_set_new (column, PARTS[i].key, value);
    known |= is_column (job, PARTS[i].key);
  }
  *cursor_text = known || json_object_size (both) > 0 ? json_text (both) : NULL;
  *text = json_text (column);
}
