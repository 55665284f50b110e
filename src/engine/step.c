#include "engine/step.h"

#include "base/clock.h"
#include "engine/job_files.h"
#include "engine/page.h"

#include <stdarg.h>
#include <string.h>

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
  g_clear_pointer (&step->ages, g_array_unref);
  g_free (step->wait_reason);
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

/* Where this page stands in the whole run (`spacing`). */
static void
bind_place (const Step *step, const PgStatement *statement, PgValues *values)
{
  if (pg_statement_wants (statement, "index"))
    pg_values_int (values, "index", json_integer_value (json_object_get (step->run->cursor, "index")));
  if (pg_statement_wants (statement, "began_at"))
    {
      const char *began = json_string_value (json_object_get (step->run->cursor, "began_at"));
      pg_values_take (values, "began_at", began != NULL ? g_strdup (began) : clock_format (step->run->now_us));
    }
}

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
  bind_place (step, statement, values);
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

PgRows *
step_try (Step *step, char **reason, GError **error, const char *file, ...)
{
  JobApply apply = { 0 };
  if (!job_files_effect (step->job, file, &apply, error) || !pg_exec (step->pg, "SAVEPOINT attempt", error))
    return NULL;
  g_free (apply.table);
  g_autoptr (GError) cause = NULL;
  va_list pairs;
  va_start (pairs, file);
  g_autoptr (PgRows) rows = run_statement (step, apply.statement, pairs, &cause);
  va_end (pairs);
  if (rows != NULL)
    return pg_exec (step->pg, "RELEASE attempt", error) ? g_steal_pointer (&rows) : NULL;
  if (cause->code != PRUNED_DATA)
    g_propagate_error (error, g_steal_pointer (&cause));
  else if (pg_exec (step->pg, "ROLLBACK TO attempt", error))
    *reason = g_strdup (cause->message);
  return NULL;
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
  step->blocked = TRUE;
  return step_fail (step, error, PRUNED_RETRY, "%s", rows_text (reasons, 0, "reason"));
}

gboolean
step_work (Step *step, GError **error)
{
  if (!check_blocked (step, error))
    return FALSE;
  gboolean coded = step->job->code != NULL && step->job->code->step != NULL;
  return coded ? step->job->code->step (step, error) : page_step (step, error);
}
