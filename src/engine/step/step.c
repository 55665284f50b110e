#include "engine/step/step.h"

#include "base/clock.h"
#include "engine/job/arguments.h"
#include "engine/job/in_force.h"
#include "engine/job/job_rows.h"
#include "engine/step/pace.h"
#include "engine/step/page.h"

static void
log_clear (gpointer data)
{
  StepLog *line = data;
  g_free (line->message);
  g_clear_pointer (&line->fields, json_decref);
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
  step->started_at_us = run->now_us;
  step->counts = json_object ();
  step->bundle = bundle;
  step->children = run_specs_new ();
  step->logs = g_array_new (FALSE, FALSE, sizeof (StepLog));
  g_array_set_clear_func (step->logs, log_clear);
  step->failed_items = g_ptr_array_new_with_free_func (g_free);
  step->failed_reasons = g_ptr_array_new_with_free_func (g_free);
  step->failed_park = g_array_new (FALSE, FALSE, sizeof (int));
  step->cured_items = g_ptr_array_new_with_free_func (g_free);
  step->arg_texts = g_ptr_array_new_with_free_func (g_free);
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
  g_ptr_array_unref (step->arg_texts);
  g_hash_table_destroy (step->refused);
  g_clear_pointer (&step->next_cursor, json_decref);
  g_clear_pointer (&step->said, json_decref);
  g_clear_pointer (&step->ages, g_array_unref);
  g_free (step->wait_reason);
  g_free (step);
}

/* --- what the run is
 * ------------------------------------------------------------------------------ */

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

/* As text for as long as the step lives: ids must not stay in memory for ever. */
const char *
step_arg (const Step *step, const char *name)
{
  const json_t *value = json_object_get (step->run->args, name);
  if (value == NULL || json_is_null (value))
    return NULL;
  if (json_is_string (value))
    return json_string_value (value);
  for (guint i = 0; i < step->arg_texts->len; i += 2)
    if (g_str_equal (step->arg_texts->pdata[i], name))
      return step->arg_texts->pdata[i + 1];
  char *text = json_text (value);
  g_ptr_array_add (step->arg_texts, g_strdup (name));
  g_ptr_array_add (step->arg_texts, text);
  return text;
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
  return config_job_int (in_force_config (), step->job->name, key);
}

gint64
step_limit (Step *step, gint64 most)
{
  step->most = most;
  return pace_limit (step->run, most);
}

gboolean
step_is_cut (const Step *step)
{
  return json_integer_value (json_object_get (step->run->cursor, "limit")) > 0;
}

void
step_tries (Step *step, gint64 rows)
{
  step->tried = rows;
}

gboolean
step_is_too_slow (const Step *step, const GError *cause)
{
  return pace_is_too_slow (step, cause);
}

void
step_cut (Step *step, gint64 limit)
{
  json_t *cursor = page_cursor_with (step->run, "limit", limit);
  g_clear_pointer (&step->run->cursor, json_decref);
  step->run->cursor = cursor;
}

gboolean
step_setting_bool (const Step *step, const char *key)
{
  return config_job_bool (in_force_config (), step->job->name, key);
}

const char *
step_setting_text (const Step *step, const char *key)
{
  return config_job_text (in_force_config (), step->job->name, key);
}

const char *
step_setting_text_of (const Step *step, const char *job, const char *key)
{
  return config_job_text (in_force_config (), job, key);
}

gboolean
step_is_plan (const Step *step)
{
  return step->plan;
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
  if (!job_rows_are_whole (step->job->blocked, reasons, "reason", error))
    return FALSE;
  return step_block (step, error, "%s", rows_text (reasons, 0, "reason"));
}

/* What no retry can mend. */
static gboolean
check_args (Step *step, GError **error)
{
  g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
  if (step->run->wrong != NULL)
    return step_fail (step, error, PRUNED_REJECT, "%s", step->run->wrong);
  return reason == NULL || step_fail (step, error, PRUNED_REJECT, "args: %s", reason);
}

gboolean
step_work (Step *step, GError **error)
{
  if (!check_args (step, error) || !check_blocked (step, error))
    return FALSE;
  gboolean coded = step->job->code != NULL && step->job->code->step != NULL;
  return coded ? step->job->code->step (step, error) : page_step (step, error);
}
