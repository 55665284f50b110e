#include "engine/job/job_conf.h"

#include "base/resource.h"
#include "config/key_file.h"
#include "engine/job/job_conf_check.h"
#include "engine/job/job_conf_named.h"
#include "engine/job/job_conf_settings.h"
#include "engine/job/job_record.h"
#include "pg/quoted.h"

#include <string.h>

const char *const job_label_names[JOB_LABELS]
    = { "worker", "feature_category", "data_consistency", "idempotent" };

char *
job_conf_text (GKeyFile *conf, const char *group, const char *key)
{
  char *text = g_key_file_get_string (conf, group, key, NULL);
  return text != NULL ? g_strstrip (text) : NULL;
}

static char **
list_of (GKeyFile *conf, const char *group, const char *key)
{
  g_autofree char *text = job_conf_text (conf, group, key);
  GPtrArray *items = g_ptr_array_new ();
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ";", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != '\0')
      g_ptr_array_add (items, g_strdup (parts[i]));
  g_ptr_array_add (items, NULL);
  return (char **)g_ptr_array_free (items, FALSE);
}

/* `expires_at date desc; id bigint desc` */
static void
parse_cursor (Job *job)
{
  g_auto (GStrv) columns = list_of (job->conf, "job", "cursor");
  for (guint i = 0; columns[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit_set (columns[i], " \t", -1);
    JobCursor column = { .name = g_strdup (words[0]),
                         .type = g_strdup (words[1]),
                         .descending = g_strcmp0 (words[2], "desc") == 0,
                         .open = g_strcmp0 (words[2], "null") == 0 };
    g_array_append_val (job->cursor, column);
  }
}

/* `user_id bigint; cursor`: a name, and the type that its value must be of. */
static void
parse_arguments (Job *job)
{
  job->arguments = list_of (job->conf, "job", "arguments");
  job->argument_types = g_new0 (char *, g_strv_length (job->arguments) + 1);
  for (guint i = 0; job->arguments[i] != NULL; i++) {
    char *type = job->arguments[i] + strcspn (job->arguments[i], " \t");
    if (*type != '\0')
      *type++ = '\0';
    job->argument_types[i] = g_strdup (g_strstrip (type));
  }
}

static void
parse_starts (Job *job)
{
  g_auto (GStrv) starts = list_of (job->conf, "job", "starts");
  const char *const *words = (const char *const *)starts;
  job->by_tick = g_strv_contains (words, "tick");
  job->by_event = g_strv_contains (words, "event");
  job->by_parent = g_strv_contains (words, "parent");
}

/* `log = info: Some message`; TEXT is changed. */
static void
parse_log (JobWhat *what, char *text)
{
  char *colon = text != NULL ? strchr (text, ':') : NULL;
  if (colon == NULL)
    return;
  *colon = '\0';
  what->log = log_level_parse (text, &what->log_level) ? g_strdup (g_strstrip (colon + 1)) : NULL;
}

static void
parse_constants (const Job *job, json_t *constants, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (job->conf, group, NULL, NULL);
  for (guint i = 0; keys[i] != NULL; i++)
    if (g_str_has_prefix (keys[i], "outcome.")) {
      g_autofree char *value = job_conf_text (job->conf, group, keys[i]);
      json_object_set_new (constants, keys[i] + strlen ("outcome."), json_string (value));
    }
}

static void
parse_what (Job *job, const char *group)
{
  JobWhat *what = g_new0 (JobWhat, 1);
  g_ptr_array_add (job->whats, what);
  what->apply = g_array_new (FALSE, FALSE, sizeof (JobApply));
  what->constants = json_object ();
  what->word = g_strstrip (g_strdup (group + strlen ("what ")));
  what->counter = job_conf_text (job->conf, group, "counter");
  if (what->counter == NULL)
    what->counter = g_strdup (what->word);
  what->counts_as_updated = g_key_file_get_boolean (job->conf, group, "counts_as_updated", NULL);
  what->outcome = job_conf_text (job->conf, group, "outcome");
  what->entity = job_conf_text (job->conf, group, "entity");
  if (what->entity == NULL)
    what->entity = g_strdup ("key");
  what->log_fields = list_of (job->conf, group, "log_fields");
  parse_constants (job, what->constants, group);
  g_autofree char *log = job_conf_text (job->conf, group, "log");
  parse_log (what, log);
}

static void
parse_event (Job *job, const char *group)
{
  JobEvent *event = g_new0 (JobEvent, 1);
  g_ptr_array_add (job->events, event);
  event->type = g_strconcat ("pruned.events.", group + strlen ("event "), NULL);
  event->key = job_conf_text (job->conf, group, "key");
  event->unique_key = job_conf_text (job->conf, group, "unique_key");
  event->due = job_conf_text (job->conf, group, "due");
  event->cancel_on_null = g_key_file_get_boolean (job->conf, group, "cancel_on_null", NULL);
}

static void
parse_failed (Job *job)
{
  job->failed_log = job_conf_text (job->conf, "failed", "log");
  job->failed_counter = job_conf_text (job->conf, "failed", "counter");
  job->failed_outcome = job_conf_text (job->conf, "failed", "outcome");
  job->failed_constants = json_object ();
  parse_constants (job, job->failed_constants, "failed");
}

static void
parse_groups (Job *job)
{
  g_auto (GStrv) groups = g_key_file_get_groups (job->conf, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (key_file_is_section (groups[i], "what"))
      parse_what (job, groups[i]);
    else if (key_file_is_section (groups[i], "event"))
      parse_event (job, groups[i]);
    else if (g_str_equal (groups[i], "failed"))
      parse_failed (job);
}

/* Of a folder, tables stand as they are, and columns as SQL writes them. */
static gboolean
read_record (Job *job, const char *path, GError **error)
{
  g_auto (GStrv) items = list_of (job->conf, "job", "record");
  g_autofree char *table = job->table != NULL ? quoted_make (job->table) : g_strdup ("");
  if (items[0] == NULL || (job->record = job_record_read (table, items, error)) != NULL)
    return TRUE;
  g_prefix_error (error, "%s: record: ", path);
  return FALSE;
}

gboolean
job_conf_read (Job *job, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, "job.conf", NULL);
  g_autofree char *text = resource_text (path, error);
  if (text == NULL || !job_conf_check (path, text, error))
    return FALSE;
  if (!g_key_file_load_from_data (job->conf, text, (gsize)-1, G_KEY_FILE_NONE, error)) {
    g_prefix_error (error, "%s: ", path);
    return FALSE;
  }
  for (guint i = 0; i < JOB_LABELS; i++)
    job->labels[i] = job_conf_text (job->conf, "job", job_label_names[i]);
  job->unique_key = job_conf_text (job->conf, "job", "unique_key");
  job->table = job_conf_text (job->conf, "job", "table");
  if (job->table != NULL && *job->table == '\0')
    g_clear_pointer (&job->table, g_free);
  job->needs = list_of (job->conf, "job", "needs");
  job->reads = list_of (job->conf, "job", "reads");
  job->items = list_of (job->conf, "job",
                        g_key_file_has_key (job->conf, "job", "items", NULL) ? "items" : "table");
  if (g_key_file_has_key (job->conf, "job", "settings", NULL))
    job->settings = list_of (job->conf, "job", "settings");
  job->audit = job_conf_text (job->conf, "job", "audit");
  job->final = job_conf_text (job->conf, "job", "final");
  if (job->final == NULL)
    job->final = g_strdup (job_final_by_audit (job->audit));
  job->item_column = job_conf_text (job->conf, "job", "item_column");
  job->due = job_conf_text (job->conf, "job", "due");
  job->follows = list_of (job->conf, "job", "follows");
  job->unfollowed = list_of (job->conf, "job", "unfollowed");
  job->makes = list_of (job->conf, "job", "makes");
  job->deletes = list_of (job->conf, "job", "deletes");
  job->locked = list_of (job->conf, "job", "locked");
  job->launches = list_of (job->conf, "job", "launches");
  job->retry_every_ms = g_key_file_get_int64 (job->conf, "job", "retry_every_ms", NULL);
  job->spacing = g_key_file_get_boolean (job->conf, "job", "spacing", NULL);
  parse_cursor (job);
  parse_arguments (job);
  parse_starts (job);
  parse_groups (job);
  job->on = list_of (job->conf, "job", "on");
  return read_record (job, path, error) && job_conf_check_settings (job, path, text, error)
         && job_conf_check_apply (job, error) && job_conf_named (job, error);
}
