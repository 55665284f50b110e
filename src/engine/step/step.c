#include "engine/step/step.h"

#include "base/clock.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/in_force.h"

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
  step->counted = step->limited = step->room = -1;
  step->bundle = bundle;
  step->t = clock_format (run->scheduled_at_us);
  step->children = run_specs_new ();
  step->logs = g_array_new (FALSE, FALSE, sizeof (StepLog));
  g_array_set_clear_func (step->logs, log_clear);
  step->failed_items = g_ptr_array_new_with_free_func (g_free);
  step->failed_reasons = g_ptr_array_new_with_free_func (g_free);
  step->failed_park = g_array_new (FALSE, FALSE, sizeof (int));
  step->cured_items = g_ptr_array_new_with_free_func (g_free);
  step->busy_items = g_ptr_array_new_with_free_func (g_free);
  step->kept_keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  step->arg_texts = g_ptr_array_new_with_free_func (g_free);
  step->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return step;
}

Step *
step_new_plan (Pg *pg, Run *run)
{
  Step *step = step_new (pg, run, "", NULL, NULL);
  step->plan = TRUE;
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
  g_clear_pointer (&step->answered, g_hash_table_unref);
  g_free (step->t);
  g_array_unref (step->children);
  g_array_unref (step->logs);
  g_ptr_array_unref (step->failed_items);
  g_ptr_array_unref (step->failed_reasons);
  g_array_unref (step->failed_park);
  g_ptr_array_unref (step->cured_items);
  g_ptr_array_unref (step->busy_items);
  g_hash_table_unref (step->kept_keys);
  g_free (step->busy_why);
  g_free (step->dead_of);
  g_ptr_array_unref (step->arg_texts);
  g_hash_table_destroy (step->refused);
  g_clear_pointer (&step->next_cursor, json_decref);
  run_progress_clear (&step->next);
  g_clear_pointer (&step->said, json_decref);
  g_clear_pointer (&step->ages, g_array_unref);
  g_free (step->wait_reason);
  g_free (step->waits_for);
  g_free (step->waits_why);
  g_free (step->outside);
  g_free (step->outside_relid);
  g_free (step);
}

/* JOB, with the pages that RUN is to have. */
static const Job *
with_pages_of (const Run *run, const Job *job)
{
  const JobForm form = FORM_WHERE + (JobForm)CLAMP (run->progress.by_rows, 0, 2);
  const Job *wanted = job_form (job, form), *whole = job_form (job, FORM_WHERE);
  return wanted != NULL ? wanted : whole != NULL ? whole : job;
}

/* Ranges see to themselves (divide.h). */
void
step_take_job (Step *step, const Job *job)
{
  Run *run = step->run;
  job = with_pages_of (run, job);
  step->job = run->job = job;
  if (run_in_ranges (run) || run_cursor_fits (job, run))
    return;
  step_log (step, LOG_WARNING, "The primary key has changed; the run begins at the first row again",
            json_pack ("{s:O, s:s}", "was", run->progress.of, "is", job->cursor_of));
  run_cursor_forget (run);
}

const Job *
step_form (const Step *step)
{
  return step->portion ? job_form_portion (step->job) : step->job;
}

gboolean
step_complete (Step *step, GError **error)
{
  g_autofree char *refusal = NULL;
  const Job *job = step->job;
  if (job->sentence != NULL)
    job = job_complete (step->pg, job, &refusal, error);
  if (refusal != NULL)
    return step_block (step, error, "%s", refusal);
  if (job != NULL)
    step_take_job (step, job);
  return job != NULL;
}

/* --- what the run is --- */

const char *
step_run_id (const Step *step)
{
  return run_known_id (step->run);
}

int
step_number (const Step *step)
{
  return step->run->step;
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

void
step_plan_by (Step *step, StepVisit visit, gpointer data)
{
  step->plan_visit = visit;
  step->plan_data = data;
}

struct _Beside *
step_tell_to (Step *step, struct _Beside *beside)
{
  struct _Beside *before = step->told_to;
  step->told_to = beside;
  return before;
}
