#include "engine/job/job.h"

#include "engine/job/complete.h"
#include "engine/job/job_conf.h"
#include "engine/job/job_private.h"

#include <string.h>

static void
what_free (gpointer data)
{
  JobWhat *what = data;
  for (guint i = 0; i < what->apply->len; i++)
    g_free (g_array_index (what->apply, JobApply, i).table);
  g_array_free (what->apply, TRUE);
  g_clear_pointer (&what->constants, json_decref);
  g_free (what->word);
  g_free (what->counter);
  g_free (what->outcome);
  g_free (what->entity);
  g_free (what->log);
  g_strfreev (what->log_fields);
  g_free (what);
}

static void
event_free (gpointer data)
{
  JobEvent *event = data;
  g_free (event->type);
  g_free (event->key);
  g_free (event->unique_key);
  g_free (event->due);
  g_free (event);
}

void
job_free (gpointer data)
{
  Job *job = data;
  if (job == NULL)
    return;
  for (guint i = 0; i < JOB_LABELS; i++)
    g_free (job->labels[i]);
  for (guint i = 0; i < job->cursor->len; i++) {
    g_free (g_array_index (job->cursor, JobCursor, i).name);
    g_free (g_array_index (job->cursor, JobCursor, i).type);
  }
  g_array_free (job->cursor, TRUE);
  g_ptr_array_unref (job->locks);
  g_ptr_array_unref (job->whats);
  g_ptr_array_unref (job->events);
  g_strfreev (job->arguments);
  g_strfreev (job->argument_types);
  g_strfreev (job->needs);
  g_strfreev (job->items);
  g_strfreev (job->follows);
  g_strfreev (job->makes);
  g_strfreev (job->deletes);
  g_strfreev (job->launches);
  g_strfreev (job->locked);
  g_free (job->item_column);
  g_free (job->due);
  g_free (job->version);
  g_strfreev (job->settings);
  g_free (job->final);
  g_clear_pointer (&job->conf, g_key_file_unref);
  g_free (job->name);
  g_free (job->folder);
  g_free (job->unique_key);
  g_free (job->table);
  g_free (job->failed_log);
  g_free (job->failed_counter);
  g_free (job->failed_outcome);
  g_clear_pointer (&job->failed_constants, json_decref);
  g_free (job->work_topic);
  job_complete_forget (job);
  sentence_free (job->sentence);
  g_free (job->refused);
  g_free (job);
}

Job *
job_new (const char *folder, const char *name)
{
  Job *job = g_new0 (Job, 1);
  job->name = g_strdup (name);
  job->folder = g_strdup (folder);
  job->conf = g_key_file_new ();
  job->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  job->locks = g_ptr_array_new ();
  job->whats = g_ptr_array_new_with_free_func (what_free);
  job->events = g_ptr_array_new_with_free_func (event_free);
  return job;
}

void
jobs_keep (Jobs *jobs, GHashTable *names)
{
  GPtrArray *all = jobs->jobs;
  jobs->jobs = g_ptr_array_new_with_free_func (job_free);
  g_ptr_array_set_free_func (all, NULL);
  for (guint i = 0; i < all->len; i++) {
    Job *job = all->pdata[i];
    g_ptr_array_add (g_hash_table_contains (names, job->name) ? jobs->jobs : jobs->others, job);
  }
  g_ptr_array_unref (all);
  jobs_number (jobs);
}

void
jobs_free (Jobs *jobs)
{
  if (jobs == NULL)
    return;
  g_ptr_array_unref (jobs->jobs);
  g_ptr_array_unref (jobs->others);
  g_ptr_array_unref (jobs->refused);
  g_ptr_array_unref (jobs->events);
  g_free (jobs->names);
  g_free (jobs->loaded);
  g_free (jobs->sections);
  g_free (jobs);
}

void
jobs_configure (Jobs *jobs, const Config *config)
{
  for (guint i = 0; i < jobs->jobs->len; i++) {
    Job *job = jobs->jobs->pdata[i];
    job->capacity = (int)config_job_int (config, job->name, "capacity");
    g_free (job->work_topic);
    job->work_topic
        = g_strdup_printf ("%s.work.%s", config_text (config, "topics", "prefix"), job->name);
  }
}

guint
jobs_count (const Jobs *jobs)
{
  return jobs->jobs->len;
}

Job *
jobs_at (const Jobs *jobs, guint i)
{
  return jobs->jobs->pdata[i];
}

Job *
jobs_find (const Jobs *jobs, const char *name)
{
  for (guint i = 0; i < jobs->jobs->len; i++)
    if (g_str_equal (jobs->names[i], name))
      return jobs->jobs->pdata[i];
  return NULL;
}

const char *const *
jobs_names (const Jobs *jobs)
{
  return jobs->names;
}

const char *const *
jobs_loaded (const Jobs *jobs)
{
  return jobs->loaded;
}

const Job *
jobs_find_loaded (const Jobs *jobs, const char *name)
{
  for (guint i = 0; i < jobs->others->len; i++)
    if (g_str_equal (((Job *)jobs->others->pdata[i])->name, name))
      return jobs->others->pdata[i];
  return jobs_find (jobs, name);
}

const char *const *
jobs_sections (const Jobs *jobs)
{
  return jobs->sections;
}

guint
jobs_refused_count (const Jobs *jobs)
{
  return jobs->refused->len;
}

const JobRefused *
jobs_refused_at (const Jobs *jobs, guint i)
{
  return jobs->refused->pdata[i];
}

Job *
jobs_asked (const Jobs *jobs, const char *name)
{
  Job *job = jobs_find (jobs, name);
  const JobRefused *refused = job == NULL ? jobs_refused_find (jobs, name) : NULL;
  return refused != NULL ? refused->job : job;
}

const JobRefused *
jobs_refused_find (const Jobs *jobs, const char *name)
{
  for (guint i = 0; i < jobs->refused->len; i++)
    if (g_str_equal (jobs_refused_at (jobs, i)->name, name))
      return jobs->refused->pdata[i];
  return NULL;
}

const GPtrArray *
jobs_events (const Jobs *jobs)
{
  return jobs->events;
}

/* Whether the job reads the setting KEY: settings of all jobs, settings of jobs with ticks, and
 * the list in job.conf (`settings`). Without that list: all. */
gboolean
job_reads (const Job *job, const char *key)
{
  static const char *const all[]
      = { "enabled",     "mode",     "capacity",  "max_attempts",     "budget_ms", "target_step_ms",
          "not_between", "max_rows", "max_share", "max_rows_per_day", "max_ratio", "min_rows",
          "approve",     NULL },
      *const ticks[] = { "schedule", "time_zone", "catch_up", NULL };
  if (g_strv_contains (all, key))
    return TRUE;
  if (g_strv_contains (ticks, key))
    return job->by_tick;
  return job->settings == NULL || g_strv_contains ((const char *const *)job->settings, key);
}

const char *
jobs_default (const char *job, const char *key, gpointer data)
{
  const Job *found = jobs_find_loaded (data, job);
  if (found == NULL)
    return jobs_refused_find (data, job) != NULL ? CONFIG_NO_EFFECT : NULL;
  if (!job_reads (found, key))
    return CONFIG_NO_EFFECT;
  g_autofree char *text = job_conf_text (found->conf, "job", key);
  return text != NULL ? g_intern_string (text) : NULL;
}

const char *
jobs_default_place (const char *job, gpointer data)
{
  const Job *found = jobs_find (data, job);
  return found != NULL && found->sentence != NULL ? found->sentence->place : NULL;
}

const JobWhat *
job_what (const Job *job, const char *word)
{
  for (guint i = 0; i < job->whats->len; i++)
    if (g_str_equal (((JobWhat *)job->whats->pdata[i])->word, word))
      return job->whats->pdata[i];
  return NULL;
}

guint
job_own_file (const Job *job, const JobWhat *what)
{
  guint own = 0;
  ApplyKind kind = APPLY_INSERT;
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *file = &g_array_index (what->apply, JobApply, i);
    if (file->kind == APPLY_INSERT || g_strcmp0 (file->table, job->table) != 0
        || (kind == APPLY_DELETE && file->kind == APPLY_UPDATE))
      continue;
    own = i;
    kind = file->kind;
  }
  return own;
}

const JobEvent *
job_event (const Job *job, const char *type)
{
  for (guint i = 0; i < job->events->len; i++)
    if (g_str_equal (((JobEvent *)job->events->pdata[i])->type, type))
      return job->events->pdata[i];
  return NULL;
}
