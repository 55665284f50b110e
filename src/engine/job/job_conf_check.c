#include "engine/job/job_conf_check.h"

#include "avro/message.h"
#include "base/resource.h"
#include "config/key_file.h"
#include "config/nearest.h"
#include "config/settings.h"

#include <string.h>

#define OUTCOMES "schemas/avro/outcomes"
#define SCHEMA ".avsc"

/* --- outcomes --- */

gboolean
job_conf_check_record (const char *path, int line, const char *folder, const char *what,
                       const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_auto (GStrv) files = resource_list (folder, NULL);
  for (guint i = 0; files[i] != NULL; i++)
    if (g_str_has_suffix (files[i], SCHEMA)) {
      files[i][strlen (files[i]) - strlen (SCHEMA)] = '\0';
      g_ptr_array_add (names, files[i]);
    }
  g_ptr_array_add (names, NULL);
  const char *const *known = (const char *const *)names->pdata;
  g_autofree char *hint = nearest_hint (name, known);
  return g_strv_contains (known, name)
         || error_fatal (error, "%s:%d: %s '%s'%s", path, line, what, name, hint);
}

/* The outcome of the group that ENTRY stands in; NULL: none. */
static const char *
outcome_of (const GPtrArray *entries, const KeyFileEntry *entry)
{
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *other = entries->pdata[i];
    if (g_strcmp0 (other->key, "outcome") == 0 && g_str_equal (other->section, entry->section))
      return other->value;
  }
  return NULL;
}

static gboolean
check_constant (const char *path, const GPtrArray *entries, const KeyFileEntry *entry,
                GError **error)
{
  const char *field = entry->key + strlen (JOB_CONF_CONSTANT),
             *outcome = outcome_of (entries, entry);
  if (outcome == NULL)
    return error_fatal (error, "%s:%d: %s: [%s] has no outcome", path, entry->line, entry->key,
                        entry->section);
  g_autofree char *type = g_strconcat ("pruned.outcomes.", outcome, NULL);
  const char *const *fields = message_fields (type);
  g_autoptr (GError) cause = NULL;
  if (g_strv_contains (fields, field))
    return message_field_takes (type, field, entry->value, &cause)
           || error_fatal (error, "%s:%d: outcome %s: %s", path, entry->line, outcome,
                           cause->message);
  g_autofree char *hint = nearest_hint (field, fields);
  return error_fatal (error, "%s:%d: outcome %s has no field '%s'%s", path, entry->line, outcome,
                      field, hint);
}

static gboolean
check_outcomes (const char *path, const GPtrArray *entries, GError **error)
{
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (g_strcmp0 (entry->key, "outcome") == 0
        && !job_conf_check_record (path, entry->line, OUTCOMES, "unknown outcome", entry->value,
                                   error))
      return FALSE;
  }
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (entry->key != NULL && g_str_has_prefix (entry->key, JOB_CONF_CONSTANT)
        && !check_constant (path, entries, entry, error))
      return FALSE;
  }
  return TRUE;
}

/* --- counters --- */

/* The counter that the entry at I gives to a word; NULL: it is no entry of a word. That of a group
 * is its word, until its key says another. */
static const char *
counter_at (const GPtrArray *entries, guint i)
{
  const KeyFileEntry *entry = entries->pdata[i];
  if (!key_file_is_section (entry->section, "what"))
    return NULL;
  if (entry->key != NULL)
    return g_str_equal (entry->key, "counter") ? entry->value : NULL;
  for (guint n = i + 1; n < entries->len; n++) {
    const KeyFileEntry *next = entries->pdata[n];
    if (next->key == NULL)
      break;
    if (g_str_equal (next->key, "counter"))
      return next->value;
  }
  const char *word = entry->section + strlen ("what");
  return word + strspn (word, " \t");
}

/* What else COUNTER counts; NULL: nothing. */
static const char *
counts_else (const GPtrArray *entries, const char *counter)
{
  static const char *const own[]
      = { "removed",   "changed",         "kept",        "gone", "failed", "updated_rows",
          "scheduled", "already_running", "passed_over", NULL };
  if (g_strv_contains (own, counter))
    return "the engine counts other rows with it";
  for (guint i = 0; i < entries->len; i++)
    if (g_strcmp0 (counter_at (entries, i), counter) == 0)
      return "a word of decide.sql is counted with it";
  return NULL;
}

/* They would look removed, or be counted twice. */
static gboolean
check_counter (const char *path, const GPtrArray *entries, GError **error)
{
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (!g_str_equal (entry->section, "failed") || g_strcmp0 (entry->key, "counter") != 0)
      continue;
    const char *why = counts_else (entries, entry->value);
    if (why != NULL)
      return error_fatal (
          error, "%s:%d: in [failed]: counter = %s: %s; choose another name, such as errors", path,
          entry->line, entry->value, why);
  }
  return TRUE;
}

gboolean
job_conf_check (const char *path, const GPtrArray *entries, GError **error)
{
  return check_outcomes (path, entries, error) && check_counter (path, entries, error);
}

/* --- settings --- */

static gboolean
check_names (const Job *job, const char *place, const char *const *all, GError **error)
{
  for (char **name = job->settings; *name != NULL; name++) {
    if (g_strv_contains (all, *name))
      continue;
    g_autofree char *hint = nearest_hint (*name, all);
    return error_fatal (error, "%s: settings: unknown setting '%s'%s", place, *name, hint);
  }
  return TRUE;
}

static gboolean
check_is_read (const Job *job, const char *place, const char *key, GError **error)
{
  if (job_reads (job, key))
    return TRUE;
  return error_fatal (
      error, "%s: %s: the job does not read it, because `starts` does not name tick", place, key);
}

gboolean
job_conf_check_settings (const Job *job, const char *path, const GPtrArray *entries, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  settings_of_job (names);
  g_ptr_array_add (names, NULL);
  const char *const *all = (const char *const *)names->pdata;
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (entry->key == NULL || !g_str_equal (entry->section, "job"))
      continue;
    g_autofree char *place = g_strdup_printf ("%s:%d", path, entry->line);
    if (!(g_str_equal (entry->key, "settings") ? check_names (job, place, all, error)
          : g_strv_contains (all, entry->key)  ? check_is_read (job, place, entry->key, error)
                                               : TRUE))
      return FALSE;
  }
  return TRUE;
}

/* --- words --- */

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
    g_autofree char *hint = nearest_hint (names[i], (const char *const *)words->pdata);
    return error_fatal (error, "%s: nothing would use it: job.conf has no group [what %s]%s", path,
                        names[i], hint);
  }
  return names != NULL;
}
