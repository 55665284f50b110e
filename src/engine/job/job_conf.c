/* Length: the tables of keys, what reads their values and what begins their groups say one thing
 * together.
 */
#include "engine/job/job_conf.h"

#include "base/resource.h"
#include "config/key.h"
#include "config/key_file.h"
#include "config/nearest.h"
#include "config/settings.h"
#include "engine/job/argument_type.h"
#include "engine/job/consistency.h"
#include "engine/job/cursor_type.h"
#include "engine/job/job_conf_check.h"
#include "engine/job/job_conf_named.h"
#include "engine/job/job_due.h"
#include "engine/job/job_record.h"
#include "pg/quoted.h"

#include <string.h>

#define COMMA ,
#define DELAY_MOST_MS G_GINT64_CONSTANT (31622400000) /* 366 days */

char *
job_conf_text (GKeyFile *conf, const char *group, const char *key)
{
  char *text = g_key_file_get_string (conf, group, key, NULL);
  return text != NULL ? g_strstrip (text) : NULL;
}

/* --- values --- */

/* WORDS ends with NULL. */
static gboolean
is_one_of (const char *what, const char *name, const char *const *words, GError **error)
{
  g_autofree char *hint = nearest_hint (name, words);
  return g_strv_contains (words, name) || error_fatal (error, "%s '%s'%s", what, name, hint);
}

static gboolean
read_consistency (gpointer into, const Key *key, const char *text, GError **error)
{
  return key_text (into, key, text, error) && consistency_check (text, error);
}

static gboolean
read_starts (gpointer into, const Key *key, const char *text, GError **error)
{
  static const char *const words[] = { "tick", "event", "parent", NULL };
  Job *job = into;
  g_auto (GStrv) starts = key_items (text);
  for (char **start = starts; *start != NULL; start++)
    if (!is_one_of ("unknown word", *start, words, error))
      return FALSE;
  const char *const *given = (const char *const *)starts;
  job->by_tick = g_strv_contains (given, words[0]);
  job->by_event = g_strv_contains (given, words[1]);
  job->by_parent = g_strv_contains (given, words[2]);
  return TRUE;
}

static gboolean
read_audit (gpointer into, const Key *key, const char *text, GError **error)
{
  static const char *const words[] = { "full", "keys", "off", NULL };
  return key_text (into, key, text, error) && is_one_of ("unknown word", text, words, error);
}

/* `expires_at date desc` */
static gboolean
read_column (Job *job, const char *text, GError **error)
{
  static const char *const directions[] = { "asc", "desc", "null", NULL };
  g_auto (GStrv) words = g_strsplit_set (text, " \t", -1);
  guint n = g_strv_length (words);
  if (n < 2 || n > 3)
    return error_fatal (error, "'%s' is not 'name type [asc|desc|null]'", text);
  if (n == 3 && !is_one_of ("unknown direction", words[2], directions, error))
    return FALSE;
  JobCursor column = { .name = g_strdup (words[0]),
                       .type = g_strdup (words[1]),
                       .descending = g_strcmp0 (words[2], "desc") == 0,
                       .open = g_strcmp0 (words[2], "null") == 0 };
  g_array_append_val (job->cursor, column);
  g_autofree char *none = cursor_type_refusal (words[0], words[1], words[2]);
  return none == NULL || error_fatal (error, "%s", none);
}

static gboolean
read_cursor (gpointer into, const Key *key, const char *text, GError **error)
{
  g_auto (GStrv) columns = key_items (text);
  for (char **column = columns; *column != NULL; column++)
    if (!read_column (into, *column, error))
      return FALSE;
  return TRUE;
}

/* `user_id bigint; cursor`: a name, and the type that its value must be of. */
static gboolean
read_arguments (gpointer into, const Key *key, const char *text, GError **error)
{
  Job *job = into;
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  argument_type_names (types);
  g_ptr_array_add (types, NULL);
  g_strfreev (job->arguments);
  g_strfreev (job->argument_types);
  job->arguments = key_items (text);
  job->argument_types = g_new0 (char *, g_strv_length (job->arguments) + 1);
  for (guint i = 0; job->arguments[i] != NULL; i++) {
    char *name = job->arguments[i], *type = name + strcspn (name, " \t");
    if (*type != '\0')
      *type++ = '\0';
    job->argument_types[i] = g_strdup (g_strstrip (type));
    type = job->argument_types[i];
    g_autofree char *what = g_strdup_printf ("%s has the unknown type", name);
    if (*type != '\0' && !argument_type_known (type)
        && !is_one_of (what, type, (const char *const *)types->pdata, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_milliseconds (gpointer into, const Key *key, const char *text, GError **error)
{
  return g_ascii_string_to_signed (text, 10, 0, DELAY_MOST_MS,
                                   &G_STRUCT_MEMBER (gint64, into, key->at), NULL)
         || error_fatal (error, "expected milliseconds, 0 to %" G_GINT64_FORMAT, DELAY_MOST_MS);
}

/* `log = info: Some message` */
static gboolean
read_log (gpointer into, const Key *key, const char *text, GError **error)
{
  static const char *const levels[] = { LOG_LEVELS (COMMA), NULL };
  JobWhat *what = into;
  const char *colon = strchr (text, ':');
  if (colon == NULL)
    return error_fatal (error, "expected 'level: message'");
  g_autofree char *level = g_strndup (text, colon - text);
  what->log = g_strstrip (g_strdup (colon + 1));
  return log_level_parse (level, &what->log_level)
         || is_one_of ("unknown level", level, levels, error);
}

static gboolean
read_due_unit (gpointer into, const Key *key, const char *text, GError **error)
{
  return (job_due_unit_is (text)
          || is_one_of ("unknown unit", text, (const char *const *)job_due_units, error))
         && key_text (into, key, text, error);
}

/* `record` waits for the table (read_record). */
static gboolean
read_later (gpointer into, const Key *key, const char *text, GError **error)
{
  return TRUE;
}

/* --- the keys --- */

#define LABEL(n) G_STRUCT_OFFSET (Job, labels[n])
#define OF(type, member) G_STRUCT_OFFSET (type, member)

static const Key JOB_KEYS[] = {
  { "worker", key_text, LABEL (LABEL_WORKER) },
  { "feature_category", key_text, LABEL (LABEL_FEATURE_CATEGORY) },
  { "data_consistency", read_consistency, LABEL (LABEL_DATA_CONSISTENCY) },
  { "idempotent", key_text, LABEL (LABEL_IDEMPOTENT) },
  { "starts", read_starts },
  { "table", key_text, OF (Job, table) },
  { "unique_key", key_text, OF (Job, unique_key) },
  { "cursor", read_cursor },
  { "arguments", read_arguments },
  { "due", key_text, OF (Job, due) },
  { "due_table", key_text, OF (Job, due_table) },
  { "due_age", key_text, OF (Job, due_age) },
  { "due_unit", read_due_unit, OF (Job, due_unit) },
  { "retry_every_ms", read_milliseconds, OF (Job, retry_every_ms) },
  { "needs", key_list, OF (Job, needs) },
  { "reads", key_list, OF (Job, reads) },
  { "items", key_list, OF (Job, items) },
  { "item_column", key_text, OF (Job, item_column) },
  { "follows", key_list, OF (Job, follows) },
  { "unfollowed", key_list, OF (Job, unfollowed) },
  { "makes", key_list, OF (Job, makes) },
  { "deletes", key_list, OF (Job, deletes) },
  { "locked", key_list, OF (Job, locked) },
  { "launches", key_list, OF (Job, launches) },
  { "settings", key_list, OF (Job, settings) },
  { "on", key_list, OF (Job, on) },
  { "audit", read_audit, OF (Job, audit) },
  { "record", read_later },
  { "final", key_text, OF (Job, final) },
  { "born", key_text, OF (Job, born) },
  { "forgets", key_text, OF (Job, forgets) },
  { "spacing", key_bool, OF (Job, spacing) },
  { NULL },
};

static const Key WHAT_KEYS[] = {
  { "counter", key_text, OF (JobWhat, counter) },
  { "counts_as_updated", key_bool, OF (JobWhat, counts_as_updated) },
  { "outcome", key_text, OF (JobWhat, outcome) },
  { "entity", key_text, OF (JobWhat, entity) },
  { "log", read_log },
  { "log_fields", key_list, OF (JobWhat, log_fields) },
  { NULL },
};

static const Key FAILED_KEYS[] = {
  { "log", key_text, OF (Job, failed_log) },
  { "counter", key_text, OF (Job, failed_counter) },
  { "outcome", key_text, OF (Job, failed_outcome) },
  { NULL },
};

static const Key EVENT_KEYS[] = {
  { "key", key_text, OF (JobEvent, key) },
  { "unique_key", key_text, OF (JobEvent, unique_key) },
  { "due", key_text, OF (JobEvent, due) },
  { "cancel_on_null", key_bool, OF (JobEvent, cancel_on_null) },
  { NULL },
};

/* --- the groups --- */

typedef struct {
  Job *job;
  const char *path;
  int line;
  const Key *keys;   /* of the group */
  gpointer into;     /* what they are read into */
  json_t *constants; /* `outcome.FIELD`; NULL: the group has none */
  GError **error;
} Reader;

static void
begin_job (Reader *reader, const char *name)
{
  reader->into = reader->job;
}

static void
begin_what (Reader *reader, const char *name)
{
  JobWhat *what = reader->into = g_new0 (JobWhat, 1);
  g_ptr_array_add (reader->job->whats, what);
  what->apply = g_array_new (FALSE, FALSE, sizeof (JobApply));
  reader->constants = what->constants = json_object ();
  what->word = g_strdup (name);
  what->log_fields = g_new0 (char *, 1);
}

static void
begin_failed (Reader *reader, const char *name)
{
  reader->into = reader->job;
  reader->constants = reader->job->failed_constants = json_object ();
}

static void
begin_event (Reader *reader, const char *name)
{
  JobEvent *event = reader->into = g_new0 (JobEvent, 1);
  g_ptr_array_add (reader->job->events, event);
  event->type = g_strconcat ("pruned.events.", name, NULL);
}

static const struct {
  const char *name;
  const Key *keys;
  void (*begin) (Reader *reader, const char *name);
  const char *records; /* NULL: its name is no record's */
  gboolean named;
} GROUPS[] = { { "job", JOB_KEYS, begin_job },
               { "what", WHAT_KEYS, begin_what, NULL, TRUE },
               { "failed", FAILED_KEYS, begin_failed },
               { "event", EVENT_KEYS, begin_event, JOB_CONF_EVENTS, TRUE } };

static gboolean
wrong (const Reader *reader, const char *key, const char *why)
{
  return error_fatal (reader->error, "%s:%d: %s: %s", reader->path, reader->line, key, why);
}

static gboolean
unknown (const Reader *reader, const char *what, const char *name, GPtrArray *names)
{
  g_ptr_array_add (names, NULL);
  g_autofree char *hint = nearest_hint (name, (const char *const *)names->pdata);
  return error_fatal (reader->error, "%s:%d: %s '%s'%s", reader->path, reader->line, what, name,
                      hint);
}

static gboolean
begin_group (Reader *reader, const char *group)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint i = 0;
  while (i < G_N_ELEMENTS (GROUPS) && !key_file_is_section (group, GROUPS[i].name))
    g_ptr_array_add (names, (gpointer)GROUPS[i++].name);
  if (i == G_N_ELEMENTS (GROUPS))
    return unknown (reader, "unknown group", group, names);
  const char *name = group + strlen (GROUPS[i].name);
  name += strspn (name, " \t");
  if (GROUPS[i].named != (*name != '\0'))
    return wrong (reader, group,
                  GROUPS[i].named ? "the group needs a name" : "the group has no name");
  reader->keys = GROUPS[i].keys;
  reader->constants = NULL;
  GROUPS[i].begin (reader, name);
  return GROUPS[i].records == NULL
         || job_conf_check_record (reader->path, reader->line, GROUPS[i].records,
                                   "an event of your own has its [event] section in a file "
                                   "NAME.conf of jobs_dir, and `on` of [job] names it; unknown "
                                   "event",
                                   name, reader->error);
}

static gboolean
check_setting (const Reader *reader, const KeyFileEntry *entry)
{
  const Setting *setting = setting_of_job (entry->key);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GError) cause = NULL;
  gint64 number;
  if (setting != NULL)
    return setting_check (setting, entry->value, &number, &cause)
           || wrong (reader, entry->key, cause->message);
  settings_of_job (names);
  key_names (JOB_KEYS, names);
  return unknown (reader, "unknown key", entry->key, names);
}

static gboolean
read_key (Reader *reader, const KeyFileEntry *entry)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GError) cause = NULL;
  const Key *key = key_find (reader->keys, entry->key);
  if (key->name != NULL)
    return key->read (reader->into, key, entry->value, &cause)
           || wrong (reader, entry->key, cause->message);
  if (reader->keys == JOB_KEYS)
    return check_setting (reader, entry);
  if (reader->constants != NULL && g_str_has_prefix (entry->key, JOB_CONF_CONSTANT))
    return json_object_set_new (reader->constants, entry->key + strlen (JOB_CONF_CONSTANT),
                                json_string (entry->value))
           == 0;
  g_autofree char *what = g_strdup_printf ("in [%s]: unknown key", entry->section);
  key_names (reader->keys, names);
  return unknown (reader, what, entry->key, names);
}

static gboolean
read_entries (Job *job, const char *path, const GPtrArray *entries, GError **error)
{
  Reader reader = { .job = job, .path = path, .error = error };
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    reader.line = entry->line;
    if (!(entry->key == NULL ? begin_group (&reader, entry->section) : read_key (&reader, entry)))
      return FALSE;
  }
  return TRUE;
}

/* --- the whole --- */

/* What is not said. Of `settings` that is all of them, which NULL means. */
static void
set_defaults (Job *job)
{
  if (job->table != NULL && *job->table == '\0')
    g_clear_pointer (&job->table, g_free);
  if (job->items == NULL)
    job->items = key_items (job->table != NULL ? job->table : "");
  if (job->arguments == NULL)
    read_arguments (job, NULL, "", NULL);
  for (const Key *key = JOB_KEYS; key->name != NULL; key++)
    if (key->read == key_list && key->at != OF (Job, settings)
        && G_STRUCT_MEMBER (char **, job, key->at) == NULL)
      key_list (job, key, "", NULL);
  if (job->final == NULL)
    job->final = g_strdup (job_final_by_audit (job->audit));
  for (guint i = 0; i < job->whats->len; i++) {
    JobWhat *what = job->whats->pdata[i];
    if (what->counter == NULL)
      what->counter = g_strdup (what->word);
    if (what->entity == NULL)
      what->entity = g_strdup ("key");
  }
}

/* Of a folder, tables stand as they are, and columns as SQL writes them. */
static gboolean
read_record (Job *job, const char *path, GError **error)
{
  g_autofree char *text = job_conf_text (job->conf, "job", "record"),
                  *table = job->table != NULL ? quoted_make (job->table) : g_strdup ("");
  g_auto (GStrv) items = key_items (text != NULL ? text : "");
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
  g_autoptr (GPtrArray) entries
      = text != NULL ? key_file_parse (path, text, strlen (text), error) : NULL;
  if (entries == NULL || !read_entries (job, path, entries, error)
      || !job_conf_check (path, entries, error))
    return FALSE;
  if (!g_key_file_load_from_data (job->conf, text, (gsize)-1, G_KEY_FILE_NONE, error)) {
    g_prefix_error (error, "%s: ", path);
    return FALSE;
  }
  set_defaults (job);
  return read_record (job, path, error) && job_conf_check_settings (job, path, entries, error)
         && job_conf_check_apply (job, error) && job_conf_named (job, error);
}
