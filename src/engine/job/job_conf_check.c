#include "engine/job/job_conf_check.h"

#include "base/log_format.h"
#include "base/resource.h"
#include "config/key_file.h"
#include "config/nearest.h"
#include "config/settings.h"
#include "engine/job/argument_type.h"
#include "engine/job/consistency.h"
#include "engine/job/cursor_type.h"
#include "engine/job/job_conf_counter.h"
#include "engine/job/job_conf_outcome.h"

#include <string.h>

#define OUTCOMES "schemas/avro/outcomes"
#define EVENTS "schemas/avro/events"
#define SCHEMA ".avsc"
#define DELAY_MOST_MS G_GINT64_CONSTANT (31622400000) /* 366 days */

typedef enum {
  PLAIN,
  BOOL,
  OUTCOME,
  CONSISTENCY,
  STARTS,
  AUDIT,
  CURSOR,
  ARGUMENTS,
  LEVEL_AND_MESSAGE,
  MILLISECONDS
} Kind;

static const struct {
  const char *section, *key;
  Kind kind;
} KEYS[] = {
  { "job", "worker" },
  { "job", "feature_category" },
  { "job", "data_consistency", CONSISTENCY },
  { "job", "idempotent" },
  { "job", "starts", STARTS },
  { "job", "table" },
  { "job", "unique_key" },
  { "job", "cursor", CURSOR },
  { "job", "arguments", ARGUMENTS },
  { "job", "due" },
  { "job", "retry_every_ms", MILLISECONDS },
  { "job", "needs" },
  { "job", "reads" },
  { "job", "items" },
  { "job", "item_column" },
  { "job", "follows" },
  { "job", "unfollowed" },
  { "job", "makes" },
  { "job", "deletes" },
  { "job", "locked" },
  { "job", "launches" },
  { "job", "settings" },
  { "job", "on" },
  { "job", "audit", AUDIT },
  { "job", "record" },
  { "job", "final" },
  { "job", "spacing", BOOL },
  { "what", "counter" },
  { "what", "counts_as_updated", BOOL },
  { "what", "outcome", OUTCOME },
  { "what", "entity" },
  { "what", "log", LEVEL_AND_MESSAGE },
  { "what", "log_fields" },
  { "failed", "log" },
  { "failed", "counter" },
  { "failed", "outcome", OUTCOME },
  { "event", "key" },
  { "event", "unique_key" },
  { "event", "due" },
  { "event", "cancel_on_null", BOOL },
};

typedef struct {
  const char *path;
  int line;
  GError **error;
} Check;

/* `<path>:<line>: <what> '<name>', did you mean '<nearest>'?` */
static gboolean
unknown (const Check *check, const char *what, const char *name, GPtrArray *names)
{
  g_ptr_array_add (names, NULL);
  const char *meant = nearest_name (name, (const char *const *)names->pdata);
  return error_fatal (check->error, "%s:%d: %s '%s'%s%s%s", check->path, check->line, what, name,
                      meant != NULL ? ", did you mean '" : "", meant != NULL ? meant : "",
                      meant != NULL ? "'?" : "");
}

static gboolean
wrong (const Check *check, const char *key, const char *why)
{
  return error_fatal (check->error, "%s:%d: %s: %s", check->path, check->line, key, why);
}

static const char *
section_of (const char *group)
{
  for (guint i = 0; i < G_N_ELEMENTS (KEYS); i++)
    if (key_file_is_section (group, KEYS[i].section))
      return KEYS[i].section;
  return NULL;
}

static gboolean
check_record (const Check *check, const char *folder, const char *what, const char *name)
{
  g_autofree char *file = g_strconcat (name, SCHEMA, NULL);
  g_auto (GStrv) files = resource_list (folder, NULL);
  if (g_strv_contains ((const char *const *)files, file))
    return TRUE;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; files[i] != NULL; i++)
    if (g_str_has_suffix (files[i], SCHEMA)) {
      files[i][strlen (files[i]) - strlen (SCHEMA)] = '\0';
      g_ptr_array_add (names, files[i]);
    }
  return unknown (check, what, name, names);
}

static gboolean
check_group (const Check *check, const char *group)
{
  static const char *const sections[] = { "job", "what", "failed", "event" };
  const char *section = section_of (group);
  if (section != NULL) {
    const char *name = group + strlen (section);
    name += strspn (name, " \t");
    gboolean named = g_str_equal (section, "what") || g_str_equal (section, "event");
    if (named != (*name != '\0'))
      return wrong (check, group, named ? "the group needs a name" : "the group has no name");
    return !g_str_equal (section, "event")
           || check_record (check, EVENTS,
                            "an event of your own has its [event] section in a file NAME.conf of"
                            " jobs_dir, and `on` of [job] names it; unknown event",
                            name);
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    g_ptr_array_add (names, (gpointer)sections[i]);
  return unknown (check, "unknown group", group, names);
}

static gboolean
check_setting (const Check *check, const KeyFileEntry *entry)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const Setting *setting = settings_table; setting->section != NULL; setting++) {
    if (!g_str_equal (setting->section, SETTINGS_JOBS))
      continue;
    g_ptr_array_add (names, (gpointer)setting->key);
    if (!g_str_equal (setting->key, entry->key))
      continue;
    g_autoptr (GError) cause = NULL;
    gint64 number;
    return setting_check (setting, entry->value, &number, &cause)
           || wrong (check, entry->key, cause->message);
  }
  for (guint i = 0; i < G_N_ELEMENTS (KEYS); i++)
    if (g_str_equal (KEYS[i].section, "job"))
      g_ptr_array_add (names, (gpointer)KEYS[i].key);
  return unknown (check, "unknown key", entry->key, names);
}

/* --- values --- */

static gboolean
is_one_of (const Check *check, const char *what, const char *name, const char *words)
{
  g_auto (GStrv) known = g_strsplit (words, " ", -1);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; known[i] != NULL; i++)
    g_ptr_array_add (names, known[i]);
  return g_strv_contains ((const char *const *)known, name) || unknown (check, what, name, names);
}

static gboolean
check_start (const Check *check, const char *start)
{
  return is_one_of (check, "starts: unknown word", start, "tick event parent");
}

/* `expires_at date desc` */
static gboolean
check_cursor (const Check *check, const char *column)
{
  g_auto (GStrv) words = g_strsplit_set (column, " \t", -1);
  guint n = g_strv_length (words);
  g_autofree char *why = g_strdup_printf ("'%s' is not 'name type [asc|desc|null]'", column);
  if (n < 2 || n > 3)
    return wrong (check, "cursor", why);
  if (n == 3 && !is_one_of (check, "cursor: unknown direction", words[2], "asc desc null"))
    return FALSE;
  g_autofree char *none = cursor_type_refusal (words[0], words[1], words[2]);
  return none == NULL || wrong (check, "cursor", none);
}

/* `user_id bigint` */
static gboolean
check_argument (const Check *check, const char *argument)
{
  gsize len = strcspn (argument, " \t");
  const char *type = argument + len + strspn (argument + len, " \t");
  g_autofree char *what
      = g_strdup_printf ("arguments: %.*s has the unknown type", (int)len, argument);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  argument_type_names (names);
  return *type == '\0' || argument_type_known (type) || unknown (check, what, type, names);
}

static gboolean
check_each (const Check *check, const char *value,
            gboolean (*check_one) (const Check *check, const char *item))
{
  g_auto (GStrv) items = g_strsplit (value, ";", -1);
  for (guint i = 0; items[i] != NULL; i++)
    if (*g_strstrip (items[i]) != '\0' && !check_one (check, items[i]))
      return FALSE;
  return TRUE;
}

static gboolean
check_log (const Check *check, const char *value)
{
  const char *colon = strchr (value, ':');
  if (colon == NULL)
    return wrong (check, "log", "expected 'level: message'");
  g_autofree char *level = g_strndup (value, colon - value);
  return is_one_of (check, "log: unknown level", level, LOG_LEVELS (" "));
}

static gboolean
check_milliseconds (const Check *check, const KeyFileEntry *entry)
{
  g_autofree char *why
      = g_strdup_printf ("expected milliseconds, 0 to %" G_GINT64_FORMAT, DELAY_MOST_MS);
  return g_ascii_string_to_signed (entry->value, 10, 0, DELAY_MOST_MS, NULL, NULL)
         || wrong (check, entry->key, why);
}

static gboolean
check_bool (const Check *check, const KeyFileEntry *entry)
{
  return g_str_equal (entry->value, "true") || g_str_equal (entry->value, "false")
         || wrong (check, entry->key, "expected true or false");
}

static gboolean
check_value (const Check *check, Kind kind, const KeyFileEntry *entry)
{
  g_autoptr (GError) cause = NULL;
  switch (kind) {
  case OUTCOME:
    return check_record (check, OUTCOMES, "unknown outcome", entry->value);
  case CONSISTENCY:
    return consistency_check (entry->value, &cause) || wrong (check, entry->key, cause->message);
  case STARTS:
    return check_each (check, entry->value, check_start);
  case AUDIT:
    return is_one_of (check, "audit: unknown word", entry->value, "full keys off");
  case CURSOR:
    return check_each (check, entry->value, check_cursor);
  case ARGUMENTS:
    return check_each (check, entry->value, check_argument);
  case LEVEL_AND_MESSAGE:
    return check_log (check, entry->value);
  case MILLISECONDS:
    return check_milliseconds (check, entry);
  case BOOL:
    return check_bool (check, entry);
  case PLAIN:
    break;
  }
  return TRUE;
}

static gboolean
check_key (const Check *check, const KeyFileEntry *entry)
{
  const char *section = section_of (entry->section);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (KEYS); i++) {
    if (!g_str_equal (KEYS[i].section, section))
      continue;
    if (g_str_equal (KEYS[i].key, entry->key))
      return check_value (check, KEYS[i].kind, entry);
    g_ptr_array_add (names, (gpointer)KEYS[i].key);
  }
  if (g_str_equal (section, "job"))
    return check_setting (check, entry);
  if (!g_str_equal (section, "event") && g_str_has_prefix (entry->key, "outcome."))
    return TRUE;
  g_autofree char *what = g_strdup_printf ("in [%s]: unknown key", entry->section);
  return unknown (check, what, entry->key, names);
}

gboolean
job_conf_check (const char *path, const char *text, GError **error)
{
  g_autoptr (GPtrArray) entries = key_file_parse (path, text, strlen (text), error);
  for (guint i = 0; entries != NULL && i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    Check check = { path, entry->line, error };
    if (!(entry->key == NULL ? check_group (&check, entry->section) : check_key (&check, entry)))
      return FALSE;
  }
  return entries != NULL && job_conf_check_outcomes (path, entries, error)
         && job_conf_check_counter (path, entries, error);
}

gboolean
job_conf_check_apply (const Job *job, GError **error)
{
  g_autofree char *apply = g_build_filename (job->folder, "apply", NULL);
  g_auto (GStrv) names = resource_list (apply, error);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (apply, names[i], NULL);
    gboolean is_folder = g_str_has_suffix (names[i], "/");
    if (!is_folder && g_str_has_suffix (names[i], ".sql"))
      return error_fatal (error, "%s: a file of apply/ must be in a folder, apply/<what>/", path);
    if (!is_folder)
      continue;
    names[i][strlen (names[i]) - 1] = '\0';
    if (job_what (job, names[i]) != NULL)
      continue;
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    for (guint j = 0; j < job->whats->len; j++)
      g_ptr_array_add (words, ((JobWhat *)job->whats->pdata[j])->word);
    g_ptr_array_add (words, NULL);
    const char *meant = nearest_name (names[i], (const char *const *)words->pdata);
    return error_fatal (error, "%s: nothing would use it: job.conf has no group [what %s]%s%s%s",
                        path, names[i], meant != NULL ? ", did you mean '" : "",
                        meant != NULL ? meant : "", meant != NULL ? "'?" : "");
  }
  return names != NULL;
}
