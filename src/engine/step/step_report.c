/* What a step reports: gathered here, turned into rows and messages at its end
 * (step_settle.c). */
#include "engine/step/step.h"

#include "avro/identity.h"
#include "avro/message.h"
#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/job/job_files.h"

void
step_add_count (json_t *counts, const char *counter, gint64 n)
{
  gint64 before = json_integer_value (json_object_get (counts, counter));
  json_object_set_new (counts, counter, json_integer (before + n));
}

void
step_add_counts (json_t *counts, const json_t *more)
{
  const char *counter;
  json_t *n;
  json_object_foreach ((json_t *)more, counter, n)
    if (json_is_integer (n))
      step_add_count (counts, counter, json_integer_value (n));
    else if (json_is_object (n)) {
      if (json_object_get (counts, counter) == NULL)
        json_object_set_new (counts, counter, json_object ());
      step_add_counts (json_object_get (counts, counter), n);
    }
}

void
step_add_other (json_t *counts, const char *table, const char *what, gint64 n)
{
  if (n == 0)
    return;
  g_autoptr (json_t) more = json_pack ("{s:{s:{s:I}}}", STEP_TABLES, table, what, (json_int_t)n);
  step_add_counts (counts, more);
  if (!g_str_equal (what, STEP_INSERTED))
    step_add_count (counts, STEP_OTHERS, n);
}

void
step_count (Step *step, const char *counter, gint64 n)
{
  step_add_count (step->counts, counter, n);
  if (g_str_equal (counter, "updated_rows"))
    step_add_rows (step, n, 0, 0);
}

void
step_add_rows (Step *step, gint64 own, gint64 below, gint64 own_below)
{
  step->rows += own + below + own_below;
  step->below += below;
  step->own_below += own_below;
}

void
step_set_failed (Step *step)
{
  step_set_brake (step, BRAKE_NONE);
  json_object_clear (step->counts);
  step->rows = step->below = step->own_below = 0;
}

void
step_reason (Step *step, const char *reason)
{
  g_free (step->reason);
  step->reason = g_strdup (reason);
}

void
step_add_outcome (Step *step, const char *record, const char *entity, const char *const *fields)
{
  g_autofree char *topic = g_strconcat (step->prefix, ".outcomes", NULL);
  g_autofree char *type = g_strconcat ("pruned.outcomes.", record, NULL);
  g_autofree char *ce_id
      = identity_outcome (run_known_id (step->run), step->run->step, record, entity);
  bundle_add (step->bundle, topic, -1, entity, type, ce_id, fields);
}

void
step_tell_by (Step *step, Bundle *bundle)
{
  step->bundle = bundle;
}

/* The texts of a record's fields in the schema's order: run_id and step, T, those of the run's
 * event, then what LOOK finds. NULL: there is no such record. */
static const char **
outcome_fields (Step *step, const char *record, const char *step_number_text,
                const char *(*look) (const char *field, gpointer data), gpointer data)
{
  g_autofree char *type = g_strconcat ("pruned.outcomes.", record, NULL);
  const char *const *names = message_fields (type);
  if (names == NULL) {
    bundle_spoil (step->bundle, "%s/job.conf: there is no outcome '%s'", step->job->folder, record);
    return NULL;
  }
  const char **fields = g_new0 (const char *, g_strv_length ((char **)names) + 1);
  for (guint i = 0; names[i] != NULL; i++)
    fields[i] = g_str_equal (names[i], "run_id") ? run_known_id (step->run)
                : g_str_equal (names[i], "step") ? step_number_text
                : g_str_equal (names[i], RUN_T)  ? step->t
                : run_event_has (names[i])       ? run_event_text (step->run, names[i])
                                                 : look (names[i], data);
  return fields;
}

static const char *
look_in_json (const char *field, gpointer data)
{
  const json_t *value = json_object_get (data, field);
  if (value == NULL || json_is_null (value))
    return NULL;
  if (json_is_string (value))
    return json_string_value (value);
  char *text = json_text (value);
  json_object_set_new (data, field, json_string (text)); /* owned by the object */
  g_free (text);
  return json_string_value (json_object_get (data, field));
}

void
step_outcome (Step *step, const char *record, const char *entity, json_t *fields)
{
  g_autoptr (json_t) owned = fields;
  char number[16];
  g_snprintf (number, sizeof number, "%d", step->run->step);
  g_autofree const char **texts = outcome_fields (step, record, number, look_in_json, owned);
  if (texts != NULL)
    step_add_outcome (step, record, entity, texts);
}

typedef struct {
  const PgRows *rows;
  int row;
  const json_t *constants;
} RowFields;

static const char *
look_in_row (const char *field, gpointer data)
{
  const RowFields *from = data;
  const char *constant = json_string_value (json_object_get (from->constants, field));
  int column = rows_column (from->rows, field);
  return constant != NULL || column < 0 ? constant : rows_at (from->rows, from->row, column);
}

void
step_outcome_row (Step *step, const char *record, const PgRows *rows, int row, const char *entity,
                  const json_t *constants)
{
  char number[16];
  g_snprintf (number, sizeof number, "%d", step->run->step);
  RowFields from = { rows, row, constants };
  int column = rows_column (rows, entity);
  const char *about = column >= 0 ? rows_at (rows, row, column) : NULL;
  if (about == NULL)
    bundle_spoil (step->bundle, "outcome %s of %s: nothing in column '%s' that it could be about",
                  record, step->job->name, entity);
  g_autofree const char **texts
      = about != NULL ? outcome_fields (step, record, number, look_in_row, &from) : NULL;
  if (texts != NULL)
    step_add_outcome (step, record, about, texts);
}

void
step_outcomes (Step *step, const char *record, const PgRows *rows, const char *entity,
               const json_t *constants)
{
  for (int i = 0; i < rows_count (rows); i++)
    step_outcome_row (step, record, rows, i, entity, constants);
}

void
step_child (Step *step, const char *job, json_t *args, const char *child_key,
            const char *unique_key, gint64 delay_ms)
{
  const Job *found = jobs_find (in_force_jobs (), job);
  if (found == NULL || args == NULL) {
    bundle_spoil (step->bundle,
                  found == NULL ? "%s: there is no job '%s' for its child"
                                : "%s: a child of %s without arguments",
                  step->job->name, job);
    g_clear_pointer (&args, json_decref);
    return;
  }
  RunSpec child
      = { .run_id = identity_child (run_known_id (step->run), job, child_key),
          .parent_id = g_strdup (run_known_id (step->run)),
          .job = found,
          .scheduled_at_us = step->run->scheduled_at_us,
          .delay_ms = delay_ms,
          .unique_key = g_strdup (unique_key),
          .args = args,
          .context = step->run->context != NULL ? json_incref (step->run->context) : NULL };
  g_array_append_val (step->children, child);
}

void
step_quarantine (Step *step, const char *item, const char *reason, int park_after)
{
  g_ptr_array_add (step->failed_items, g_strdup (item));
  g_ptr_array_add (step->failed_reasons, g_strdup (reason));
  g_array_append_val (step->failed_park, park_after);
}

void
step_unquarantine (Step *step, const char *item)
{
  g_ptr_array_add (step->cured_items, g_strdup (item));
}

void
step_log (Step *step, LogLevel level, const char *message, json_t *fields)
{
  json_t *all
      = json_pack ("{s:s, s:s}", "job", step->job->name, "run_id", run_known_id (step->run));
  if (step->run->context != NULL)
    json_object_update (all, step->run->context);
  if (fields != NULL)
    json_object_update (all, fields);
  g_clear_pointer (&fields, json_decref);
  StepLog line = { level, g_strdup (message), all };
  g_array_append_val (step->logs, line);
}

void
step_continue (Step *step, json_t *cursor, gint64 delay_ms)
{
  RunProgress next
      = cursor != NULL ? run_progress_behind (step->run) : run_progress_copy (&step->run->progress);
  if (cursor != NULL && !step->passes_busy)
    next.looks = 0;
  run_progress_take (&step->next, &next);
  g_clear_pointer (&step->next_cursor, json_decref);
  step->continues = TRUE;
  step->next_cursor = cursor;
  step->next_delay_ms = delay_ms;
}

int
step_next_number (const Step *step)
{
  return MAX (step->run->step, step->numbered) + 1;
}

Run
step_run_ahead (const Step *step)
{
  Run ahead = *step->run;
  ahead.step = step_next_number (step);
  if (step->next_cursor != NULL)
    ahead.cursor = step->next_cursor;
  if (step->continues)
    ahead.progress = step->next;
  return ahead;
}

void
step_may_follow (Step *step)
{
  step->may_follow = TRUE;
}

void
step_go_ahead (Step *step)
{
  step->passed++;
  step->run->step++;
  if (step->next_cursor != NULL) {
    g_clear_pointer (&step->run->cursor, json_decref);
    step->run->cursor = g_steal_pointer (&step->next_cursor);
  }
  run_progress_take (&step->run->progress, &step->next);
  step->continues = FALSE;
  g_clear_pointer (&step->common, pg_values_free);
}

void
step_come_back (Step *step, int first)
{
  step->run->step = first;
  step->passed = 0;
  step->continues = FALSE;
}

void
step_put_off (Step *step, const char *reason, gint64 delay_ms)
{
  step->next_delay_ms = delay_ms;
  g_free (step->wait_reason);
  step->wait_reason = g_strdup (reason);
}

void
step_wait (Step *step, const char *reason, json_t *cursor, gint64 delay_ms)
{
  step_continue (step, cursor, 0);
  step_put_off (step, reason, MAX (delay_ms, 1));
}

void
step_observe_age (Step *step, double seconds)
{
  if (step->ages == NULL)
    step->ages = g_array_new (FALSE, FALSE, sizeof (double));
  g_array_append_val (step->ages, seconds);
}

void
step_plan_line (Step *step, const char *table, const char *key, const char *action,
                const char *reason)
{
  if (step->plan_visit != NULL)
    step->plan_visit (table, key, action, reason, step->plan_data);
}

void
step_write_logs (Step *step)
{
  for (guint i = 0; i < step->logs->len; i++) {
    const StepLog *line = &g_array_index (step->logs, StepLog, i);
    log_fields (line->level, line->message, line->fields);
  }
}

json_t *
step_log_fields (Step *step)
{
  if (step->said != NULL)
    return step->said;
  g_autofree char *scheduled_at = clock_format (step->run->scheduled_at_us);
  g_autofree char *started_at = clock_format (step->started_at_us);
  step->said = json_pack ("{s:s, s:s, s:i, s:s, s:s}", "job", step->job->name, "run_id",
                          run_known_id (step->run), "step", step->run->step, "scheduled_at",
                          scheduled_at, "started_at", started_at);
  g_autoptr (json_t) labels = job_labels (step->job);
  json_object_update (step->said, labels);
  if (step->run->context != NULL)
    json_object_update (step->said, step->run->context);
  return step->said;
}
