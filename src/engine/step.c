#include "engine/step.h"

#include "avro/identity.h"
#include "avro/message.h"
#include "base/clock.h"
#include "engine/job_files.h"
#include "engine/page.h"

#include <stdarg.h>
#include <string.h>

#define SQL "src/engine/sql/"

static void
log_clear (gpointer data)
{
  StepLog *line = data;
  g_free (line->message);
  g_clear_pointer (&line->fields, json_decref);
}

static PgValues *
common_values (const Step *step)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_int (values, "step", step->run->step);
  pg_values_time (values, "scheduled_at", step->run->scheduled_at_us);
  pg_values_take (values, "args", json_text (step->run->args));
  pg_values_set (values, "audit", config_text (step->job->config, "audit", "rows"));
  pg_values_set (values, "job", step->job->name);
  return values;
}

Step *
step_new (Pg *pg, Run *run, const char *prefix, Bisect *bisect, Bundle *bundle)
{
  Step *step = g_new0 (Step, 1);
  step->pg = pg;
  step->run = run;
  step->job = run->job;
  step->prefix = prefix;
  step->bisect = bisect;
  step->began_us = clock_monotonic_us ();
  step->common = common_values (step);
  step->counts = json_object ();
  step->bundle = bundle;
  step->children = run_specs_new ();
  step->logs = g_array_new (FALSE, FALSE, sizeof (StepLog));
  g_array_set_clear_func (step->logs, log_clear);
  step->failed_items = g_ptr_array_new_with_free_func (g_free);
  step->failed_reasons = g_ptr_array_new_with_free_func (g_free);
  step->failed_park = g_array_new (FALSE, FALSE, sizeof (int));
  step->cured_items = g_ptr_array_new_with_free_func (g_free);
  step->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return step;
}

void
step_free (Step *step)
{
  if (step == NULL)
    return;
  pg_values_free (step->common);
  json_decref (step->counts);
  g_free (step->reason);
  g_array_unref (step->children);
  g_array_unref (step->logs);
  g_ptr_array_unref (step->failed_items);
  g_ptr_array_unref (step->failed_reasons);
  g_array_unref (step->failed_park);
  g_ptr_array_unref (step->cured_items);
  g_hash_table_destroy (step->refused);
  g_clear_pointer (&step->next_cursor, json_decref);
  g_free (step);
}

/* --- what the run is ------------------------------------------------------------------------------ */

const char *
step_run_id (const Step *step)
{
  return step->run->run_id;
}

const char *
step_job (const Step *step)
{
  return step->job->name;
}

int
step_number (const Step *step)
{
  return step->run->step;
}

gint64
step_scheduled_at_us (const Step *step)
{
  return step->run->scheduled_at_us;
}

const json_t *
step_args (const Step *step)
{
  return step->run->args;
}

const char *
step_arg (const Step *step, const char *name)
{
  const json_t *value = json_object_get (step->run->args, name);
  if (value == NULL || json_is_null (value))
    return NULL;
  if (json_is_string (value))
    return json_string_value (value);
  g_autofree char *text = json_text (value);
  return g_intern_string (text);
}

const json_t *
step_cursor (const Step *step)
{
  return step->run->cursor;
}

gint64
step_elapsed_us (const Step *step)
{
  return clock_monotonic_us () - step->began_us;
}

gint64
step_setting (const Step *step, const char *key)
{
  return config_job_int (step->job->config, step->job->name, key);
}

gboolean
step_setting_bool (const Step *step, const char *key)
{
  return config_job_bool (step->job->config, step->job->name, key);
}

const char *
step_setting_text (const Step *step, const char *key)
{
  return config_job_text (step->job->config, step->job->name, key);
}

gboolean
step_is_plan (const Step *step)
{
  return step->plan;
}

/* --- SQL ------------------------------------------------------------------------------------------ */

void
step_bind (Step *step, const PgStatement *statement, PgValues *values)
{
  static const char *const common[] = { "run_id", "step", "scheduled_at", "args", "audit", "job" };
  for (guint i = 0; i < G_N_ELEMENTS (common); i++)
    if (pg_statement_wants (statement, common[i]))
      pg_values_set (values, common[i], pg_values_get (step->common, common[i]));
  const char *const *names = pg_statement_parameters (statement);
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_has_prefix (names[i], "setting."))
      pg_values_set (values, names[i], step_setting_text (step, names[i] + strlen ("setting.")));
}

PgValues *
step_values (Step *step, const PgStatement *statement, va_list pairs)
{
  PgValues *values = pg_values_new ();
  step_bind (step, statement, values);
  for (const char *name; (name = va_arg (pairs, const char *)) != NULL;)
    pg_values_set (values, name, va_arg (pairs, const char *));
  return values;
}

static PgRows *
run_statement (Step *step, const PgStatement *statement, va_list pairs, GError **error)
{
  if (statement == NULL)
    return NULL;
  g_autoptr (PgValues) values = step_values (step, statement, pairs);
  return pg_run (step->pg, statement, values, error);
}

PgRows *
step_query (Step *step, GError **error, const char *file, ...)
{
  va_list pairs;
  va_start (pairs, file);
  PgRows *rows = run_statement (step, job_files_statement (step->job, file, error), pairs, error);
  va_end (pairs);
  return rows;
}

PgRows *
step_apply (Step *step, GError **error, const char *file, ...)
{
  JobApply apply = { 0 };
  if (!job_files_effect (step->job, file, &apply, error))
    return NULL;
  g_free (apply.table);
  va_list pairs;
  va_start (pairs, file);
  PgRows *rows = run_statement (step, apply.statement, pairs, error);
  va_end (pairs);
  return rows;
}

/* The name of a statement made at run time: its text tells it apart. */
static char *
text_name (const Step *step, const char *sql)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA1, sql, -1);
  return g_strdup_printf ("%s#%.16s", step->job->folder, digest);
}

PgRows *
step_query_text (Step *step, GError **error, const char *sql, ...)
{
  g_autofree char *name = text_name (step, sql);
  va_list pairs;
  va_start (pairs, sql);
  PgRows *rows = run_statement (step, pg_statement_text (name, sql, error), pairs, error);
  va_end (pairs);
  return rows;
}

PgRows *
step_apply_text (Step *step, GError **error, const char *table, const char *action, const char *sql, ...)
{
  g_autofree char *plain = text_name (step, sql);
  g_autofree char *name = g_strdup_printf ("%s#%s.%s", plain, table, action);
  va_list pairs;
  va_start (pairs, sql);
  PgRows *rows = run_statement (step, job_files_audited (name, sql, table, action, "*", error), pairs, error);
  va_end (pairs);
  return rows;
}

/* --- what happened ------------------------------------------------------------------------------------ */

static void
add_count (json_t *counts, const char *counter, gint64 n)
{
  gint64 before = json_integer_value (json_object_get (counts, counter));
  json_object_set_new (counts, counter, json_integer (before + n));
}

void
step_count (Step *step, const char *counter, gint64 n)
{
  add_count (step->counts, counter, n);
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
  g_autofree char *ce_id = identity_outcome (step->run->run_id, step->run->step, record, entity);
  bundle_add (step->bundle, topic, -1, entity, type, ce_id, fields);
}

/* The texts of a record's fields in the schema's order: run_id and step, then what LOOK finds. */
static const char **
outcome_fields (Step *step, const char *record, const char *step_number_text,
                const char *(*look) (const char *field, gpointer data), gpointer data)
{
  g_autofree char *type = g_strconcat ("pruned.outcomes.", record, NULL);
  const char *const *names = message_fields (type);
  if (names == NULL)
    g_error ("%s: no such outcome: %s", step->job->name, record);
  const char **fields = g_new0 (const char *, g_strv_length ((char **)names) + 1);
  for (guint i = 0; names[i] != NULL; i++)
    fields[i] = g_str_equal (names[i], "run_id") ? step->run->run_id
                : g_str_equal (names[i], "step") ? step_number_text
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
  json_object_set_new (data, field, json_string (text)); /* keeps it as long as the object */
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
  int column = rows_column (from->rows, field);
  const char *text = column >= 0 ? rows_at (from->rows, from->row, column) : NULL;
  return text != NULL ? text : json_string_value (json_object_get (from->constants, field));
}

void
step_outcome_row (Step *step, const char *record, const PgRows *rows, int row, const char *entity,
                  const json_t *constants)
{
  char number[16];
  g_snprintf (number, sizeof number, "%d", step->run->step);
  RowFields from = { rows, row, constants };
  g_autofree const char **texts = outcome_fields (step, record, number, look_in_row, &from);
  step_add_outcome (step, record, rows_text (rows, row, entity), texts);
}

void
step_outcomes (Step *step, const char *record, const PgRows *rows, const char *entity, const json_t *constants)
{
  for (int i = 0; i < rows_count (rows); i++)
    step_outcome_row (step, record, rows, i, entity, constants);
}

void
step_child (Step *step, const char *job, json_t *args, const char *child_key, const char *unique_key, gint64 delay_ms)
{
  const Job *found = jobs_find (step->job->jobs, job);
  if (found == NULL)
    g_error ("%s: no such job: %s", step->job->name, job);
  RunSpec child = { .run_id = identity_child (step->run->run_id, job, child_key),
                    .parent_id = g_strdup (step->run->run_id), .job = found,
                    .scheduled_at_us = step->run->scheduled_at_us, .delay_ms = delay_ms,
                    .unique_key = g_strdup (unique_key), .args = args };
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
  json_t *all = json_pack ("{s:s, s:s}", "job", step->job->name, "run_id", step->run->run_id);
  if (fields != NULL)
    json_object_update (all, fields);
  g_clear_pointer (&fields, json_decref);
  StepLog line = { level, g_strdup (message), all };
  g_array_append_val (step->logs, line);
}

void
step_continue (Step *step, json_t *cursor, gint64 delay_ms)
{
  g_clear_pointer (&step->next_cursor, json_decref);
  step->continues = TRUE;
  step->next_cursor = cursor;
  step->next_delay_ms = delay_ms;
}

gboolean
step_fail (Step *step, GError **error, PrunedVerdict verdict, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, PRUNED_ERROR, verdict, text);
  return FALSE;
}

void
step_on_failure (Step *step, const char *file)
{
  g_autoptr (GError) error = NULL;
  step->on_failure = job_files_statement (step->job, file, &error);
  if (step->on_failure == NULL)
    g_error ("%s", error->message);
}

void
step_plan_line (Step *step, const char *table, const char *key, const char *action, const char *reason)
{
  if (step->plan_visit != NULL)
    step->plan_visit (table, key, action, reason, step->plan_data);
}

/* --- the end ---------------------------------------------------------------------------------------- */

gboolean
step_work (Step *step, GError **error)
{
  return step->job->code != NULL ? step->job->code->step (step, error) : page_step (step, error);
}

static char *
array_of (const GPtrArray *texts)
{
  GString *array = array_new ();
  for (guint i = 0; i < texts->len; i++)
    array_add (array, texts->pdata[i]);
  return array_take (array);
}

static gboolean
settle_quarantine (Step *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  if (step->failed_items->len > 0)
    {
      GString *park = array_new ();
      for (guint i = 0; i < step->failed_park->len; i++)
        array_add_int (park, g_array_index (step->failed_park, int, i));
      pg_values_take (values, "item", array_of (step->failed_items));
      pg_values_take (values, "reason", array_of (step->failed_reasons));
      pg_values_take (values, "park_after", array_take (park));
      g_autoptr (PgRows) put = pg_run_file (step->pg, SQL "quarantine_put.sql", values, error);
      if (put == NULL)
        return FALSE;
    }
  if (step->cured_items->len == 0)
    return TRUE;
  pg_values_take (values, "item", array_of (step->cured_items));
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

static gboolean
settle_children (Step *step, GError **error)
{
  if (step->children->len == 0)
    return TRUE;
  g_array_sort (step->children, by_key_then_id);
  if (!place_runs (step->pg, step->children, TRUE, error))
    return FALSE;
  for (guint i = 0; i < step->children->len; i++)
    {
      Placed placed = g_array_index (step->children, RunSpec, i).placed;
      if (placed == PLACED_RUNNING)
        step_count (step, "already_running", 1);
      else if (placed != PLACED_KNOWN)
        step_count (step, "scheduled", 1);
    }
  place_add_work (step->bundle, step->children);
  return TRUE;
}

/* Every counter a job can have is there from the first step on, so that "nothing to do" and "not counted" differ. */
static void
add_declared_counters (const Step *step, json_t *result)
{
  static const char *const always[] = { "updated_rows" };
  for (guint i = 0; i < G_N_ELEMENTS (always); i++)
    add_count (result, always[i], 0);
  for (guint i = 0; i < step->job->whats->len; i++)
    add_count (result, ((const JobWhat *)step->job->whats->pdata[i])->counter, 0);
  if (step->job->decide != NULL)
    add_count (result, "failed", 0);
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
      add_count (result, counter, json_integer_value (n));
  json_object_foreach (step->counts, counter, n)
    add_count (result, counter, json_integer_value (n));
  const char *reason = step->reason != NULL ? step->reason : json_string_value (json_object_get (step->run->result, "reason"));
  if (reason != NULL)
    json_object_set_new (result, "reason", json_string (reason));
  return result;
}

void
step_add_run_finished (Step *step, const char *state, const char *result, const char *error_text)
{
  char number[16];
  g_snprintf (number, sizeof number, "%d", step->run->step);
  const char *fields[] = { step->run->run_id, number, step->job->name, state, result, error_text };
  step_add_outcome (step, "RunFinished", step->run->run_id, fields);
}

static void
add_continuation (Step *step)
{
  Run next = *step->run;
  next.step++;
  next.cursor = step->next_cursor != NULL ? step->next_cursor : step->run->cursor;
  run_add_work (step->bundle, &next);
}

/* One row of advance.sql; what follows from it is added to the bundle. */
static void
add_advance (Step *step, GString *const *arrays)
{
  const char *state = !step->continues ? "finished" : step->next_delay_ms > 0 ? "waiting" : "ready";
  g_autoptr (json_t) result = step_result (step, step->continues ? "limit_reached" : "completed");
  g_autofree char *result_text = json_text (result);
  g_autofree char *cursor = step->next_cursor != NULL ? json_text (step->next_cursor) : NULL;
  if (!step->continues)
    step_add_run_finished (step, state, result_text, NULL);
  else if (step->next_delay_ms <= 0)
    add_continuation (step);
  array_add (arrays[0], step->run->run_id);
  array_add (arrays[1], state);
  array_add (arrays[2], cursor);
  array_add (arrays[3], result_text);
  array_add (arrays[4], NULL);
  array_add_int (arrays[5], step->continues ? step->next_delay_ms : 0);
}

gboolean
steps_settle (GPtrArray *steps, Publisher *publisher, GError **error)
{
  static const char *const names[] = { "run_id", "state", "cursor", "result", "error", "delay_ms" };
  Step *first = steps->pdata[0];
  GString *arrays[G_N_ELEMENTS (names)];
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint i = 0; i < steps->len; i++)
    if (!settle_quarantine (steps->pdata[i], error) || !settle_children (steps->pdata[i], error))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    arrays[i] = array_new ();
  for (guint i = 0; i < steps->len; i++)
    add_advance (steps->pdata[i], arrays);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    pg_values_take (values, names[i], array_take (arrays[i]));
  if (bundle_size (first->bundle) > 0 && !publisher_store (publisher, first->pg, first->bundle, error))
    return FALSE;
  g_autoptr (PgRows) advanced = pg_run_file (first->pg, SQL "advance.sql", values, error);
  return advanced != NULL;
}

void
step_write_logs (Step *step)
{
  for (guint i = 0; i < step->logs->len; i++)
    {
      const StepLog *line = &g_array_index (step->logs, StepLog, i);
      log_fields (line->level, line->message, line->fields);
    }
}

json_t *
step_log_fields (const Step *step)
{
  g_autofree char *scheduled_at = clock_format (step->run->scheduled_at_us);
  g_autofree char *started_at = clock_format (step->run->now_us);
  json_t *fields = json_pack ("{s:s, s:s, s:i, s:s, s:s}", "job", step->job->name, "run_id", step->run->run_id, "step",
                              step->run->step, "scheduled_at", scheduled_at, "started_at", started_at);
  g_autoptr (json_t) labels = job_labels (step->job);
  json_object_update (fields, labels);
  return fields;
}
