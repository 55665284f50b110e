#include "engine/job/job.h"

#include "engine/job/sentence/complete.h"
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

Job *
job_ref (Job *job)
{
  job->users++;
  return job;
}

static void
free_texts (Job *job)
{
  g_free (job->audit);
  g_free (job->record);
  g_free (job->born);
  g_free (job->forgets);
  g_free (job->final);
  g_free (job->reading);
  g_free (job->left);
  g_free (job->reading_objects);
}

static void
free_due (Job *job)
{
  g_free (job->due);
  g_free (job->due_table);
  g_free (job->due_age);
  g_free (job->due_unit);
}

void
job_free (gpointer data)
{
  Job *job = data;
  if (job == NULL || --job->users > 0)
    return;
  for (guint i = 0; i < JOB_LABELS; i++)
    g_free (job->labels[i]);
  for (guint i = 0; i < job->cursor->len; i++) {
    g_free (g_array_index (job->cursor, JobCursor, i).name);
    g_free (g_array_index (job->cursor, JobCursor, i).type);
    g_free (g_array_index (job->cursor, JobCursor, i).greater);
    g_free (g_array_index (job->cursor, JobCursor, i).equal);
  }
  g_array_free (job->cursor, TRUE);
  g_ptr_array_unref (job->locks);
  g_ptr_array_unref (job->whats);
  g_ptr_array_unref (job->events);
  g_strfreev (job->arguments);
  g_strfreev (job->argument_types);
  g_strfreev (job->needs);
  g_strfreev (job->reads);
  g_strfreev (job->items);
  g_strfreev (job->follows);
  g_strfreev (job->unfollowed);
  g_strfreev (job->makes);
  g_strfreev (job->deletes);
  g_strfreev (job->launches);
  g_strfreev (job->locked);
  g_free (job->item_column);
  free_due (job);
  g_free (job->cursor_of);
  g_free (job->version);
  g_free (job->written);
  g_strfreev (job->settings);
  g_strfreev (job->on);
  free_texts (job);
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
  job->users = 1;
  job->name = g_strdup (name);
  job->folder = g_strdup (folder);
  job->kind = job_kind_of (NULL, NULL);
  job->conf = g_key_file_new ();
  job->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  job->locks = g_ptr_array_new ();
  job->whats = g_ptr_array_new_with_free_func (what_free);
  job->events = g_ptr_array_new_with_free_func (event_free);
  return job;
}

Job *
job_of_name (const char *name, int capacity)
{
  Job *job = job_new ("", name);
  job->capacity = capacity;
  job->only_named = TRUE;
  job->by_tick = TRUE;
  job->arguments = g_strsplit ("*", ";", -1);
  job->argument_types = g_new0 (char *, 2);
  job->argument_types[0] = g_strdup (""); /* any type */
  return job;
}

static const JobEvent *
job_event_at (const Job *job, guint i)
{
  return job->events->pdata[i];
}

gboolean
job_asks_first (const Job *job)
{
  return job->blocked != NULL || job->blocked_minute != NULL;
}

gboolean
job_needs_any (const Job *job)
{
  return job_is_own_folder (job) && job->needs != NULL && job->needs[0] != NULL;
}

const JobWhat *
job_what (const Job *job, const char *word)
{
  for (guint i = 0; i < job->whats->len; i++)
    if (g_str_equal (((JobWhat *)job->whats->pdata[i])->word, word))
      return job->whats->pdata[i];
  return NULL;
}

gboolean
job_only_looked (const Job *job, const char *word)
{
  return job_goes_by_rows (job) && g_str_equal (word, "kept");
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

/* What stands before the key is looked up as a table: the name of a job could be one, or none that
 * PostgreSQL reads (`a.b.c`). */
#define NO_TABLE "(row)"

char *
job_item (const Job *job, const char *key)
{
  return g_strconcat (job->table != NULL ? job->table : NO_TABLE, ":", key, NULL);
}

const char *
job_final_by_audit (const char *audit)
{
  if (g_strcmp0 (audit, "keys") == 0)
    return "its audit has keys only (audit = keys)";
  return g_strcmp0 (audit, "off") == 0 ? "it has no audit (audit = off)" : NULL;
}

const char *
job_recorded (const Job *job)
{
  return job->record != NULL ? job->record : "[]";
}

gboolean
job_is_asked (const Job *job, const json_t *args)
{
  const JobEvent *event = job_event_of (job, args);
  return event != NULL && event->own != NULL;
}

gboolean
job_answers (const Job *job, const JobWhat *what, const json_t *args)
{
  return what->outcome != NULL
         && (!what->only_named || !g_str_equal (what->outcome, JOB_ROW_OUTCOME)
             || job_is_asked (job, args));
}

gboolean
job_is_asked_for_rows (const Job *job, const json_t *args)
{
  const JobEvent *event = job_event_of (job, args);
  return event != NULL && g_str_equal (event->key, JOB_EVENT_ROWS);
}

/* Whether the job reads the setting KEY: settings of all jobs, settings of jobs with ticks, the
 * list in job.conf (`settings`), and those that job.conf gives a value to. Without that list: all.
 */
gboolean
job_reads (const Job *job, const char *key)
{
  static const char *const all[]
      = { "enabled",          "mode",           "outcomes",    "capacity",  "max_attempts",
          "budget_ms",        "target_step_ms", "not_between", "max_rows",  "max_share",
          "max_rows_per_day", "max_ratio",      "min_rows",    "min_ratio", "approve",
          "approvals",        "verify_rows",    "deadline",    NULL },
      *const ticks[] = { "schedule", "time_zone", "catch_up", NULL },
             *const brakes[]
             = { "max_rows",  "max_share",   "max_rows_per_day", "max_ratio", "min_rows",
                 "min_ratio", "verify_rows", "deadline",         NULL };
  if (g_strv_contains (all, key))
    return !job_only_starts (job) || !g_strv_contains (brakes, key);
  if (g_strv_contains (ticks, key))
    return job->by_tick;
  if (g_str_equal (key, "remember")) /* a sentence says it itself */
    return job->sentence == NULL && !job_only_starts (job) && job->forgets == NULL;
  if (g_str_equal (key, "page_bytes")) /* of what `batch` rows are */
    key = "batch";
  return job->settings == NULL || g_strv_contains ((const char *const *)job->settings, key)
         || g_key_file_has_key (job->conf, "job", key, NULL);
}

gboolean
job_only_starts (const Job *job)
{
  return job->kind != NULL && job->kind->starts; /* one that stands for a check has no kind */
}

gboolean
job_is_own_folder (const Job *job)
{
  return !job->built_in && job->sentence == NULL && !job_only_starts (job);
}
