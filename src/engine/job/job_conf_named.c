#include "engine/job/job_conf_named.h"

#include "base/resource.h"
#include "config/key_file.h"

#include <stdarg.h>
#include <string.h>

/* --- job.conf once more ---- */

/* The entry KEY of [job], and all ENTRIES; NULL: there is none. */
static const KeyFileEntry *
find_entry (const char *folder, const char *key, GPtrArray **entries)
{
  g_autofree char *path = g_build_filename (folder, "job.conf", NULL);
  g_autofree char *text = resource_text (path, NULL);
  *entries = text != NULL ? key_file_parse (path, text, strlen (text), NULL) : NULL;
  for (guint i = 0; *entries != NULL && i < (*entries)->len; i++) {
    const KeyFileEntry *entry = (*entries)->pdata[i];
    if (g_str_equal (entry->section, "job") && g_strcmp0 (entry->key, key) == 0)
      return entry;
  }
  return NULL;
}

int
job_conf_line (const char *folder, const char *key)
{
  g_autoptr (GPtrArray) entries = NULL;
  const KeyFileEntry *entry = find_entry (folder, key, &entries);
  return entry != NULL ? entry->line : 0;
}

char *
job_conf_value (const char *folder, const char *key)
{
  g_autoptr (GPtrArray) entries = NULL;
  const KeyFileEntry *entry = find_entry (folder, key, &entries);
  return entry != NULL ? g_strdup (entry->value) : NULL;
}

char **
job_conf_on (const char *folder)
{
  g_autofree char *value = job_conf_value (folder, "on");
  char **names = g_strsplit (value != NULL ? value : "", ";", -1); /* some are empty */
  for (char **name = names; *name != NULL; name++)
    g_strstrip (*name);
  return names;
}

gboolean
job_conf_fail (const Job *job, const char *key, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  int line = job_conf_line (job->folder, key);
  if (line == 0)
    line = job_conf_line (job->folder, NULL);
  g_autofree char *at = line > 0 ? g_strdup_printf (":%d", line) : g_strdup ("");
  return error_fatal (error, "%s/job.conf%s: %s: %s", job->folder, at, key, why);
}

/* --- answers --- */

static void
set_default (json_t *constants, const char *field, const char *text)
{
  if (json_object_get (constants, field) == NULL)
    json_object_set_new (constants, field, json_string (text));
}

/* TRUE: rows that an event names have the outcome, and no others. */
static gboolean
answers (const Job *job, const char *word, char **outcome, json_t **constants)
{
  if (*outcome == NULL)
    *outcome = g_strdup (JOB_ROW_OUTCOME);
  if (!g_str_equal (*outcome, JOB_ROW_OUTCOME))
    return FALSE;
  if (*constants == NULL)
    *constants = json_object ();
  set_default (*constants, "job", job->name);
  set_default (*constants, "table", job->table);
  set_default (*constants, "what", word);
  return TRUE;
}

/* The default of a sentence: the runs that events start change a row each, and no other limit holds
 * their sum against the table. */
static void
set_default_share (Job *job)
{
  if (!g_key_file_has_key (job->conf, "job", "max_share", NULL))
    g_key_file_set_string (job->conf, "job", "max_share", "20 %");
}

gboolean
job_conf_named (Job *job, GError **error)
{
  if (!job_names_rows (job))
    return TRUE;
  if (job->table == NULL)
    return job_conf_fail (job, "on", error, "there is no 'table' whose rows events could name");
  job->by_event = TRUE;
  set_default_share (job);
  for (guint i = 0; i < job->whats->len; i++) {
    JobWhat *what = job->whats->pdata[i];
    what->only_named = answers (job, what->word, &what->outcome, &what->constants);
  }
  job->failed_named = answers (job, "failed", &job->failed_outcome, &job->failed_constants);
  return TRUE;
}
