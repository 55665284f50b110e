#include "engine/job/job_conf_counter.h"

#include "config/key_file.h"

#include <string.h>

#define WHAT "what"

/* The counter that the entry at I gives to a word; NULL: it is no entry of a word. That of a group
 * is its word, until its key says another. */
static const char *
counter_at (const GPtrArray *entries, guint i)
{
  const KeyFileEntry *entry = entries->pdata[i];
  if (!key_file_is_section (entry->section, WHAT))
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
  const char *word = entry->section + strlen (WHAT);
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

gboolean
job_conf_check_counter (const char *path, const GPtrArray *entries, GError **error)
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
