#include "engine/job.h"

#include "avro/identity.h"
#include "base/resource.h"
#include "base/uuid5.h"
#include "config/nearest.h"
#include "engine/job_files.h"

#include <string.h>

#define FOLDER "src/jobs"

struct _Jobs {
  GPtrArray *jobs; /* of Job, by name */
  const char **names;
};

static const char *LABELS[] = { "worker", "feature_category", "data_consistency", "idempotent" };

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

static void
job_free (gpointer data)
{
  Job *job = data;
  for (guint i = 0; i < G_N_ELEMENTS (LABELS); i++)
    g_free (job->labels[i]);
  for (guint i = 0; i < job->cursor->len; i++)
    {
      g_free (g_array_index (job->cursor, JobCursor, i).name);
      g_free (g_array_index (job->cursor, JobCursor, i).type);
    }
  g_array_free (job->cursor, TRUE);
  g_ptr_array_unref (job->locks);
  g_ptr_array_unref (job->whats);
  g_ptr_array_unref (job->events);
  g_strfreev (job->arguments);
  g_strfreev (job->needs);
  g_clear_pointer (&job->cron, cron_free);
  g_clear_pointer (&job->zone, g_time_zone_unref);
  g_clear_pointer (&job->conf, g_key_file_unref);
  g_free (job->name);
  g_free (job->folder);
  g_free (job->unique_key);
  g_free (job->table);
  g_free (job->failed_log);
  g_free (job->work_topic);
  g_free (job);
}

static char *
text_of (GKeyFile *conf, const char *group, const char *key)
{
  char *text = g_key_file_get_string (conf, group, key, NULL);
  return text != NULL ? g_strstrip (text) : NULL;
}

static char **
list_of (GKeyFile *conf, const char *group, const char *key)
{
  g_autofree char *text = text_of (conf, group, key);
  GPtrArray *items = g_ptr_array_new ();
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ";", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != '\0')
      g_ptr_array_add (items, g_strdup (parts[i]));
  g_ptr_array_add (items, NULL);
  return (char **)g_ptr_array_free (items, FALSE);
}

static gboolean
bad (const Job *job, GError **error, const char *what, const char *value)
{
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s/job.conf: %s '%s'", job->folder, what, value);
  return FALSE;
}

/* `expires_at date desc; id bigint desc` */
static gboolean
parse_cursor (Job *job, GError **error)
{
  g_auto (GStrv) columns = list_of (job->conf, "job", "cursor");
  for (guint i = 0; columns[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit_set (columns[i], " \t", -1);
      guint n = g_strv_length (words);
      if (n < 2 || n > 3 || (n == 3 && !g_str_equal (words[2], "desc") && !g_str_equal (words[2], "asc")))
        return bad (job, error, "cursor column is not 'name type [asc|desc]':", columns[i]);
      JobCursor column = { g_strdup (words[0]), g_strdup (words[1]), n == 3 && g_str_equal (words[2], "desc") };
      g_array_append_val (job->cursor, column);
    }
  return TRUE;
}

static gboolean
parse_starts (Job *job, GError **error)
{
  g_auto (GStrv) starts = list_of (job->conf, "job", "starts");
  for (guint i = 0; starts[i] != NULL; i++)
    if (g_str_equal (starts[i], "tick"))
      job->by_tick = TRUE;
    else if (g_str_equal (starts[i], "event"))
      job->by_event = TRUE;
    else if (g_str_equal (starts[i], "parent"))
      job->by_parent = TRUE;
    else
      return bad (job, error, "starts: not tick, parent or event:", starts[i]);
  return TRUE;
}

/* `log = info: Some message` */
static gboolean
parse_log (const Job *job, JobWhat *what, char *text, GError **error)
{
  g_autofree char *owned = text;
  if (text == NULL)
    return TRUE;
  char *colon = strchr (text, ':');
  if (colon == NULL)
    return bad (job, error, "log is not 'level: message':", text);
  *colon = '\0';
  if (!log_level_parse (text, &what->log_level))
    return bad (job, error, "unknown log level", text);
  what->log = g_strdup (g_strstrip (colon + 1));
  return TRUE;
}

static void
parse_constants (const Job *job, JobWhat *what, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (job->conf, group, NULL, NULL);
  for (guint i = 0; keys[i] != NULL; i++)
    if (g_str_has_prefix (keys[i], "outcome."))
      {
        g_autofree char *value = text_of (job->conf, group, keys[i]);
        json_object_set_new (what->constants, keys[i] + strlen ("outcome."), json_string (value));
      }
}

static gboolean
parse_what (Job *job, const char *group, GError **error)
{
  JobWhat *what = g_new0 (JobWhat, 1);
  g_ptr_array_add (job->whats, what);
  what->apply = g_array_new (FALSE, FALSE, sizeof (JobApply));
  what->constants = json_object ();
  what->word = g_strstrip (g_strdup (group + strlen ("what ")));
  what->counter = text_of (job->conf, group, "counter");
  if (what->counter == NULL)
    what->counter = g_strdup (what->word);
  what->counts_as_updated = g_key_file_get_boolean (job->conf, group, "counts_as_updated", NULL);
  what->outcome = text_of (job->conf, group, "outcome");
  what->entity = text_of (job->conf, group, "entity");
  if (what->entity == NULL)
    what->entity = g_strdup ("key");
  what->log_fields = list_of (job->conf, group, "log_fields");
  parse_constants (job, what, group);
  return parse_log (job, what, text_of (job->conf, group, "log"), error);
}

static void
parse_event (Job *job, const char *group)
{
  JobEvent *event = g_new0 (JobEvent, 1);
  g_ptr_array_add (job->events, event);
  event->type = g_strconcat ("pruned.events.", group + strlen ("event "), NULL);
  event->key = text_of (job->conf, group, "key");
  event->unique_key = text_of (job->conf, group, "unique_key");
  event->due = text_of (job->conf, group, "due");
  event->cancel_on_null = g_key_file_get_boolean (job->conf, group, "cancel_on_null", NULL);
}

static gboolean
parse_groups (Job *job, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (job->conf, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (g_str_has_prefix (groups[i], "what "))
      {
        if (!parse_what (job, groups[i], error))
          return FALSE;
      }
    else if (g_str_has_prefix (groups[i], "event "))
      parse_event (job, groups[i]);
    else if (!g_str_equal (groups[i], "job") && !g_str_equal (groups[i], "failed"))
      return bad (job, error, "unknown group", groups[i]);
  job->failed_log = text_of (job->conf, "failed", "log");
  return TRUE;
}

static const JobCode *
code_of (const char *name)
{
  for (const JobCode *code = JOB_CODE; code->name != NULL; code++)
    if (g_str_equal (code->name, name))
      return code;
  return NULL;
}

static Job *
job_new (const char *folder, const char *name)
{
  Job *job = g_new0 (Job, 1);
  job->name = g_strdup (name);
  job->folder = g_build_filename (folder, name, NULL);
  job->conf = g_key_file_new ();
  job->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  job->locks = g_ptr_array_new ();
  job->whats = g_ptr_array_new_with_free_func (what_free);
  job->events = g_ptr_array_new_with_free_func (event_free);
  job->code = code_of (name);
  return job;
}

static gboolean
job_read (Job *job, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, "job.conf", NULL);
  g_autofree char *text = resource_text (path, error);
  if (text == NULL || !g_key_file_load_from_data (job->conf, text, (gsize)-1, G_KEY_FILE_NONE, error))
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (LABELS); i++)
    job->labels[i] = text_of (job->conf, "job", LABELS[i]);
  job->unique_key = text_of (job->conf, "job", "unique_key");
  job->table = text_of (job->conf, "job", "table");
  job->arguments = list_of (job->conf, "job", "arguments");
  job->needs = list_of (job->conf, "job", "needs");
  job->spacing = g_key_file_get_boolean (job->conf, "job", "spacing", NULL);
  return parse_cursor (job, error) && parse_starts (job, error) && parse_groups (job, error)
         && job_files_load (job, error);
}

static gboolean
load_folder (Jobs *jobs, const char *folder, GError **error)
{
  g_auto (GStrv) names = resource_list (folder);
  for (guint i = 0; names[i] != NULL; i++)
    {
      if (!g_str_has_suffix (names[i], "/"))
        continue;
      names[i][strlen (names[i]) - 1] = '\0';
      g_autofree char *conf = g_build_filename (folder, names[i], "job.conf", NULL);
      if (!resource_exists (conf)) /* `shared` */
        continue;
      Job *job = job_new (folder, names[i]);
      g_ptr_array_add (jobs->jobs, job);
      if (!job_read (job, error))
        return FALSE;
    }
  return TRUE;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Job *const *)a)->name, (*(const Job *const *)b)->name);
}

Jobs *
jobs_load (const char *extra, GError **error)
{
  g_autoptr (Jobs) jobs = g_new0 (Jobs, 1);
  jobs->jobs = g_ptr_array_new_with_free_func (job_free);
  if (!load_folder (jobs, FOLDER, error) || (extra != NULL && *extra != '\0' && !load_folder (jobs, extra, error)))
    return NULL;
  g_ptr_array_sort (jobs->jobs, by_name);
  jobs->names = g_new0 (const char *, jobs->jobs->len + 1);
  for (guint i = 0; i < jobs->jobs->len; i++)
    {
      Job *job = jobs->jobs->pdata[i];
      job->number = i;
      job->jobs = jobs;
      jobs->names[i] = job->name;
      if (i > 0 && g_str_equal (job->name, jobs->names[i - 1]))
        {
          bad (job, error, "a second job of the name", job->name);
          return NULL;
        }
    }
  return g_steal_pointer (&jobs);
}

void
jobs_free (Jobs *jobs)
{
  if (jobs == NULL)
    return;
  g_ptr_array_unref (jobs->jobs);
  g_free (jobs->names);
  g_free (jobs);
}

static gboolean
job_configure (Job *job, const Config *config, GError **error)
{
  job->config = config;
  job->enabled = config_job_bool (config, job->name, "enabled");
  job->batch = (int)config_job_int (config, job->name, "batch");
  job->delay_ms = config_job_int (config, job->name, "delay_ms");
  job->capacity = (int)config_job_int (config, job->name, "capacity");
  job->max_attempts = (int)config_job_int (config, job->name, "max_attempts");
  job->item_attempts = (int)config_job_int (config, job->name, "item_attempts");
  job->work_topic = g_strdup_printf ("%s.work.%s", config_text (config, "topics", "prefix"), job->name);
  const char *schedule = config_job_text (config, job->name, "schedule");
  if (job->by_tick && *schedule != '\0' && !g_str_equal (schedule, "off")
      && (job->cron = cron_parse (schedule, error)) == NULL)
    {
      g_prefix_error (error, "[jobs.%s] schedule: ", job->name);
      return FALSE;
    }
  const char *zone = config_job_text (config, job->name, "time_zone");
  job->zone = cron_zone (*zone == '\0' ? "UTC" : zone, error);
  if (job->zone == NULL)
    g_prefix_error (error, "[jobs.%s] time_zone: ", job->name);
  return job->zone != NULL;
}

gboolean
jobs_configure (Jobs *jobs, const Config *config, GError **error)
{
  for (guint i = 0; i < jobs->jobs->len; i++)
    if (!job_configure (jobs->jobs->pdata[i], config, error))
      return FALSE;
  return TRUE;
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

const char *
jobs_nearest (const Jobs *jobs, const char *name)
{
  return nearest_name (name, jobs->names);
}

const char *const *
jobs_names (const Jobs *jobs)
{
  return jobs->names;
}

const char *
jobs_default (const char *job, const char *key, gpointer data)
{
  Job *found = jobs_find (data, job);
  if (found == NULL)
    return NULL;
  g_autofree char *text = text_of (found->conf, "job", key);
  return text != NULL ? g_intern_string (text) : NULL;
}

const JobWhat *
job_what (const Job *job, const char *word)
{
  for (guint i = 0; i < job->whats->len; i++)
    if (g_str_equal (((JobWhat *)job->whats->pdata[i])->word, word))
      return job->whats->pdata[i];
  return NULL;
}

const JobEvent *
job_event (const Job *job, const char *type)
{
  for (guint i = 0; i < job->events->len; i++)
    if (g_str_equal (((JobEvent *)job->events->pdata[i])->type, type))
      return job->events->pdata[i];
  return NULL;
}

gboolean
job_takes_argument (const Job *job, const char *argument)
{
  return g_strv_contains ((const char *const *)job->arguments, argument)
         || (g_strv_contains ((const char *const *)job->arguments, "*") && !g_str_equal (argument, "slot"));
}

char *
job_expand_key (const char *template, const json_t *args)
{
  if (template == NULL || *template == '\0')
    return NULL;
  GString *out = g_string_new (NULL);
  for (const char *p = template; *p != '\0';)
    {
      const char *end = *p == '{' ? strchr (p, '}') : NULL;
      if (end == NULL)
        {
          g_string_append_c (out, *p++);
          continue;
        }
      g_autofree char *name = g_strndup (p + 1, end - p - 1);
      const json_t *value = json_object_get (args, name);
      g_autofree char *text = json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
      g_string_append (out, value != NULL ? text : "");
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
job_partition (const Job *job, guint slot)
{
  gint partitions = g_atomic_int_get (&job->partitions);
  return (gint32)(slot % (guint)(partitions > 0 ? partitions : job->capacity));
}

json_t *
job_labels (const Job *job)
{
  json_t *labels = json_object ();
  for (guint i = 0; i < G_N_ELEMENTS (LABELS); i++)
    if (job->labels[i] != NULL)
      json_object_set_new (labels, LABELS[i], json_string (job->labels[i]));
  return labels;
}
