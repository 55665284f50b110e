#include "engine/job/job_conf_settings.h"

#include "config/key_file.h"
#include "config/nearest.h"
#include "config/settings.h"

#include <string.h>

#define WORD "settings"

/* The settings of jobs. */
static GPtrArray *
all_names (void)
{
  GPtrArray *names = g_ptr_array_new ();
  for (const Setting *setting = settings_table; setting->section != NULL; setting++)
    if (g_str_equal (setting->section, SETTINGS_JOBS))
      g_ptr_array_add (names, (gpointer)setting->key);
  g_ptr_array_add (names, NULL);
  return names;
}

static gboolean
check_names (const Job *job, const char *place, const char *const *all, GError **error)
{
  for (char **name = job->settings; *name != NULL; name++) {
    if (g_strv_contains (all, *name))
      continue;
    const char *meant = nearest_name (*name, all);
    return error_fatal (error, "%s: " WORD ": unknown setting '%s'%s%s%s", place, *name,
                        meant != NULL ? ", did you mean '" : "", meant != NULL ? meant : "",
                        meant != NULL ? "'?" : "");
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
job_conf_check_settings (const Job *job, const char *path, const char *text, GError **error)
{
  g_autoptr (GPtrArray) entries = key_file_parse (path, text, strlen (text), error),
                        names = all_names ();
  const char *const *all = (const char *const *)names->pdata;
  for (guint i = 0; entries != NULL && i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (entry->key == NULL || !g_str_equal (entry->section, "job"))
      continue;
    g_autofree char *place = g_strdup_printf ("%s:%d", path, entry->line);
    if (!(g_str_equal (entry->key, WORD)      ? check_names (job, place, all, error)
          : g_strv_contains (all, entry->key) ? check_is_read (job, place, entry->key, error)
                                              : TRUE))
      return FALSE;
  }
  return entries != NULL;
}
