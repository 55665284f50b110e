/* The jobs that were loaded, and those of them that are in force. */
#include "engine/job/job_conf.h"
#include "engine/job/job_private.h"
#include "engine/job/sentence/sentence_remember.h"

#include <string.h>

/* --- all jobs --- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Job *const *)a)->name, (*(const Job *const *)b)->name);
}

void
jobs_sort (Jobs *jobs)
{
  g_ptr_array_sort (jobs->jobs, by_name);
  g_free (jobs->names);
  jobs->names = g_new0 (const char *, jobs->jobs->len + 1);
  for (guint i = 0; i < jobs->jobs->len; i++)
    jobs->names[i] = ((const Job *)jobs->jobs->pdata[i])->name;
}

void
jobs_number (Jobs *jobs)
{
  jobs_sort (jobs);
  for (guint i = 0; i < jobs->jobs->len; i++)
    ((Job *)jobs->jobs->pdata[i])->number = i;
  jobs->numbers = jobs->jobs->len;
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
  g_ptr_array_unref (jobs->remarks);
  g_free (jobs->names);
  g_free (jobs->loaded);
  g_free (jobs->sections);
  jobs_free (jobs->before);
  g_free (jobs);
}

void
job_configure (Job *job, const Config *config)
{
  job->capacity = (int)config_job_int (config, job->name, "capacity");
  if (job->sentence == NULL) /* a sentence says it itself */
    job->remember_days = sentence_remember_days (config_job_text (config, job->name, "remember"));
  g_free (job->work_topic);
  job->work_topic
      = g_strdup_printf ("%s.work.%s", config_text (config, "topics", "prefix"), job->name);
}

void
jobs_configure (Jobs *jobs, const Config *config)
{
  for (guint i = 0; i < jobs->jobs->len; i++)
    job_configure (jobs->jobs->pdata[i], config);
}

guint
jobs_numbers (const Jobs *jobs)
{
  return jobs->numbers;
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

gboolean
jobs_use_bucket (const Jobs *jobs)
{
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (jobs_at (jobs, i)->code != NULL && jobs_at (jobs, i)->code->uses_bucket)
      return TRUE;
  return FALSE;
}

char *
jobs_array (const Jobs *jobs)
{
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    array_add (names, jobs_at (jobs, i)->name);
  return array_take (names);
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

const JobRefused *
jobs_refused_find (const Jobs *jobs, const char *name)
{
  for (guint i = 0; i < jobs->refused->len; i++)
    if (g_str_equal (jobs_refused_at (jobs, i)->name, name))
      return jobs->refused->pdata[i];
  return NULL;
}

Job *
jobs_asked (const Jobs *jobs, const char *name)
{
  Job *job = jobs_find (jobs, name);
  const JobRefused *refused = job == NULL ? jobs_refused_find (jobs, name) : NULL;
  return refused != NULL ? refused->job : job;
}

const GPtrArray *
jobs_events (const Jobs *jobs)
{
  return jobs->events;
}

const GPtrArray *
jobs_remarks (const Jobs *jobs)
{
  return jobs->remarks;
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
