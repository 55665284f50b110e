#include "engine/job/job.h"

#include "avro/identity.h"
#include "base/uuid5.h"
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
jobs_free (Jobs *jobs)
{
  if (jobs == NULL)
    return;
  g_ptr_array_unref (jobs->jobs);
  g_ptr_array_unref (jobs->refused);
  g_ptr_array_unref (jobs->events);
  g_free (jobs->names);
  g_free (jobs->sections);
  g_free (jobs);
}

void
jobs_configure (Jobs *jobs, const Config *config)
{
  for (guint i = 0; i < jobs->jobs->len; i++) {
    Job *job = jobs->jobs->pdata[i];
    job->capacity = (int)config_job_int (config, job->name, "capacity");
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

static const JobEvent *
job_event_at (const Job *job, guint i)
{
  return job->events->pdata[i];
}

/* Whether the job reads the setting KEY: settings of all jobs, settings of jobs with ticks, and
 * the list in job.conf (`settings`). Without that list: all. */
static gboolean
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
  Job *found = jobs_find (data, job);
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
    if (job_event_at (job, i)->own == NULL && g_str_equal (job_event_at (job, i)->type, type))
      return job_event_at (job, i);
  return NULL;
}

const JobEvent *
job_event_of (const Job *job, const json_t *args)
{
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job_event_at (job, i);
    const json_t *value = event->key != NULL ? json_object_get (args, event->key) : NULL;
    if (value != NULL && !json_is_null (value))
      return event;
  }
  return NULL;
}

gboolean
job_takes_argument (const Job *job, const char *argument)
{
  return g_strv_contains ((const char *const *)job->arguments, argument)
         || (g_strv_contains ((const char *const *)job->arguments, "*")
             && !g_str_equal (argument, "slot"));
}

char *
job_expand_key (const char *template, const json_t *args)
{
  if (template == NULL || *template == '\0')
    return NULL;
  GString *out = g_string_new (NULL);
  for (const char *p = template; *p != '\0';) {
    const char *end = *p == '{' ? strchr (p, '}') : NULL;
    if (end == NULL) {
      g_string_append_c (out, *p++);
      continue;
    }
    g_autofree char *name = g_strndup (p + 1, end - p - 1);
    const json_t *value = json_object_get (args, name);
    if (json_is_string (value))
      g_string_append (out, json_string_value (value));
    else if (value != NULL)
      json_append (out, value);
    p = end + 1;
  }
  return g_string_free (out, FALSE);
}

guint
job_slot (const Job *job, const char *run_id, const json_t *args)
{
  const json_t *slot = json_object_get (args, "slot");
  if (json_is_integer (slot) && json_integer_value (slot) >= 0)
    return (guint)json_integer_value (slot);
  return uuid5_slot (run_id, (guint)job->capacity);
}

gint32
job_partitions (const Job *job)
{
  if (job->original != NULL)
    job = job->original;
  gint partitions = atomic_load (&job->partitions);
  return partitions > 0 ? partitions : job->capacity;
}

gint32
job_partition (const Job *job, guint slot)
{
  return (gint32)(slot % (guint)job_partitions (job));
}

json_t *
job_labels (const Job *job)
{
  json_t *labels = json_object ();
  for (guint i = 0; i < JOB_LABELS; i++)
    if (job->labels[i] != NULL)
      json_object_set_new (labels, job_label_names[i], json_string (job->labels[i]));
  return labels;
}
