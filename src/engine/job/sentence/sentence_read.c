#include "engine/job/sentence/sentence_read.h"

#include "config/nearest.h"
#include "config/settings.h"
#include "engine/job/sentence/sentence_due.h"
#include "engine/job/sentence/sentence_keys.h"
#include "engine/job/sentence/sentence_remember.h"
#include "engine/job/sentence/sentence_unless.h"

#include <string.h>

#define NAME_MOST 150 /* bytes; a topic's name has 249 at most, with prefix and `.work.` */

gboolean
sentence_name_is_valid (const char *name)
{
  gboolean ok = g_ascii_isalnum (*name) && strlen (name) <= NAME_MOST;
  for (const char *c = name; *c != '\0'; c++)
    ok = ok && (g_ascii_isalnum (*c) || strchr ("._-", *c) != NULL);
  return ok;
}

gboolean
sentence_name_check (const Section *section, GError **error)
{
  const char *kind = section->is_erasure ? "erasure" : section->is_event ? "event" : "retention";
  if (*section->name == '\0')
    return section_fail (section, NULL, error, "[%s] has no name here, write [%s NAME]", kind,
                         kind);
  return sentence_name_is_valid (section->name)
         || section_fail (section, NULL, error,
                          "'%s' cannot be a name: write letters, digits, '.', '_', '-', at most "
                          "%d of them",
                          section->name, NAME_MOST);
}

/* NULL: ENTRY is the first one of the section. */
static const KeyFileEntry *
entry_before (const Section *section, const KeyFileEntry *entry)
{
  const KeyFileEntry *before = NULL;
  for (guint i = 0; section_entry (section, i) != entry; i++)
    before = section_entry (section, i);
  return before;
}

gboolean
sentence_key_unknown (const Section *section, const KeyFileEntry *entry, const Key *keys,
                      GError **error)
{
  const KeyFileEntry *before = entry_before (section, entry);
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  key_names (keys, known);
  if (keys == sentence_keys)
    settings_of_job (known);
  g_ptr_array_add (known, NULL);
  g_autofree char *hint = nearest_hint (entry->key, (const char *const *)known->pdata);
  if (*hint == '\0' && before != NULL)
    return section_fail (section, entry, error,
                         "unknown key '%s' in [%s]; if the value of '%s' goes on here: a key is "
                         "one line",
                         entry->key, entry->section, before->key);
  return section_fail (section, entry, error, "unknown key '%s' in [%s]%s", entry->key,
                       entry->section, hint);
}

gboolean
sentence_key_once (const Section *section, const KeyFileEntry *entry, GError **error)
{
  for (guint i = 0; section_entry (section, i) != entry; i++)
    if (g_str_equal (section_entry (section, i)->key, entry->key))
      return section_fail (section, entry, error, "'%s' in [%s] appears twice, first in line %d",
                           entry->key, entry->section, section_entry (section, i)->line);
  return TRUE;
}

/* --- keys --- */

static gboolean
take_setting (Sentence *sentence, const Setting *setting, const char *value, GKeyFile *settings,
              GError **error)
{
  gint64 number;
  g_autofree char *text = sentence_unless_take (sentence, setting->key, value, error);
  if (text == NULL || !setting_check (setting, text, &number, error))
    return FALSE;
  g_key_file_set_string (settings, "job", setting->key, text);
  return TRUE;
}

static gboolean
keys_are_known (const Section *section, GError **error)
{
  for (guint i = 0; i < section->n; i++) {
    const KeyFileEntry *entry = section_entry (section, i);
    if (key_find (sentence_keys, entry->key)->name == NULL && setting_of_job (entry->key) == NULL)
      return sentence_key_unknown (section, entry, sentence_keys, error);
  }
  return TRUE;
}

static gboolean
take (Sentence *sentence, const Section *section, const KeyFileEntry *entry, GKeyFile *settings,
      GError **error)
{
  g_autoptr (GError) cause = NULL;
  const Key *key = key_find (sentence_keys, entry->key);
  const Setting *setting = key->name == NULL ? setting_of_job (entry->key) : NULL;
  if (!sentence_key_once (section, entry, error))
    return FALSE;
  g_hash_table_insert (sentence->lines, (gpointer)(setting != NULL ? setting->key : key->name),
                       GINT_TO_POINTER (entry->line));
  if (setting != NULL ? take_setting (sentence, setting, entry->value, settings, &cause)
                      : key->read (sentence, key, entry->value, &cause))
    return TRUE;
  return section_fail (section, entry, error, "%s: %s%s", entry->key, cause->message,
                       strstr (entry->value, " #") != NULL ? "; a remark (#) has a line of its own"
                                                           : "");
}

/* --- the whole --- */

/* A sentence has at most one of these keys. */
static gboolean
check_kind (const Section *section, GError **error)
{
  static const char *const kinds[] = { "set", "archive", "object", "drop_partitions_older_than" };
  const KeyFileEntry *first = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const KeyFileEntry *one = section_find (section, kinds[i]);
    if (one != NULL && first != NULL)
      return section_fail (section, one->line > first->line ? one : first, error,
                           "'%s' and '%s' exclude each other: a job does one of them", first->key,
                           one->key);
    first = one != NULL ? one : first;
  }
  return TRUE;
}

/* What cannot stand beside `drop_partitions_older_than`, or `set`. */
static gboolean
check_beside (const Section *section, const char *key, const char *const *others, GError **error)
{
  if (section_find (section, key) == NULL)
    return TRUE;
  for (; *others != NULL; others++)
    if (section_find (section, *others) != NULL)
      return section_fail (section, section_find (section, *others), error, "%s: not with '%s'",
                           *others, key);
  return TRUE;
}

/* The keys that say which rows a run of a tick looks for. */
static gboolean
has_pages (const Section *section)
{
  return section_find (section, "where") != NULL || section_find (section, "keep") != NULL
         || section_find (section, "drop_partitions_older_than") != NULL;
}

/* NULL: it has none, or it is off. */
static const KeyFileEntry *
schedule_of (const Section *section)
{
  const KeyFileEntry *schedule = section_find (section, "schedule");
  return schedule != NULL && !g_str_equal (schedule->value, "off") ? schedule : NULL;
}

static gboolean
check_ticks (const Section *section, GError **error)
{
  const KeyFileEntry *ticks = section_find (section, "ticks"), *schedule = schedule_of (section);
  if (ticks == NULL)
    return TRUE;
  if (g_str_equal (ticks->value, "on"))
    return has_pages (section)
           || section_fail (section, ticks, error,
                            "ticks: a run of a tick needs 'where' or 'keep', because 'on' names "
                            "single rows");
  if (section_find (section, "on") == NULL)
    return section_fail (section, ticks, error,
                         "ticks: without 'on' nothing else starts a run; enabled = false switches "
                         "a job off");
  return schedule == NULL
         || section_fail (section, ticks, error, "ticks: off, and 'schedule' in line %d sends them",
                          schedule->line);
}

/* A sentence must say which rows it means: a missing `where` does not mean every row. */
static gboolean
check_rows (const Section *section, GError **error)
{
  static const char *const say[] = { "where", "keep", "on", "drop_partitions_older_than" };
  gboolean said = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (say); i++)
    said = said || section_find (section, say[i]) != NULL;
  if (!said)
    return section_fail (section, NULL, error,
                         "which rows? Write where, keep, on or drop_partitions_older_than "
                         "(where = true: every row)");
  const KeyFileEntry *schedule = schedule_of (section);
  if (schedule != NULL && !has_pages (section))
    return section_fail (section, schedule, error,
                         "schedule: a scheduled run needs 'where' or 'keep', because 'on' names "
                         "single rows");
  return check_ticks (section, error);
}

static gboolean
check (const Section *section, GError **error)
{
  static const char *const no_partitions[] = { "where",
                                               "due",
                                               "due_unit",
                                               "deadline",
                                               "keep",
                                               "children",
                                               "children_portion",
                                               "on",
                                               "max_share",
                                               "data_consistency",
                                               NULL },
                           *const no_set[] = { "children_portion", "deadline", NULL },
                           *const no_portions[] = { "children_portion", NULL };
  if (section_find (section, "table") == NULL)
    return section_fail (section, NULL, error, "there is no 'table'");
  return check_kind (section, error)
         && check_beside (section, "drop_partitions_older_than", no_partitions, error)
         && check_beside (section, "set", no_set, error)
         && check_beside (section, "object", no_portions, error) && check_rows (section, error);
}

static gboolean
check_archive (const Sentence *sentence, const Section *section, GError **error)
{
  if (sentence->kind == SENTENCE_FILES && sentence->portion > 0)
    return section_fail (section, section_find (section, "children_portion"), error,
                         "children_portion: not beside 'archive' in files, because a row and what "
                         "goes with it go in one step");
  return g_strcmp0 (sentence->archive, sentence->table) != 0
         || section_fail (section, section_find (section, "archive"), error,
                          "archive: %s is the job's own table", sentence->archive);
}

/* A deadline without a moment from which it counts would say nothing, and not that it does. */
static gboolean
check_deadline (const Sentence *sentence, const Section *section, GError **error)
{
  const KeyFileEntry *deadline = section_find (section, "deadline");
  if (deadline == NULL || g_str_equal (deadline->value, "off") || sentence->due_age != NULL)
    return TRUE;
  return section_fail (
      section, deadline, error,
      "deadline: since when is a row due? 'where' does not compare %s with :T in a "
      "form that says it, so write due = %s + 90 days, or + " DUE_AT_ONCE,
      sentence->due != NULL ? sentence->due : "exactly one column",
      sentence->due != NULL ? sentence->due : "COLUMN");
}

/* The row stays, and what refers to it may be why. */
static gboolean
check_set (const Sentence *sentence, const Section *section, GError **error)
{
  return sentence->kind != SENTENCE_SET || !sentence->children_auto
         || section_fail (section, section_find (section, "children"), error,
                          "children: not 'auto' beside 'set', because the row stays: name the"
                          " tables whose rows go");
}

Sentence *
sentence_read (const Section *section, GKeyFile *settings, GError **error)
{
  g_autoptr (Sentence) sentence = sentence_new ();
  sentence->name = g_strdup (section->name);
  sentence->place = g_strdup_printf ("%s:%d", section->path, section->line);
  if (!sentence_name_check (section, error) || !keys_are_known (section, error))
    return NULL;
  for (guint i = 0; i < section->n; i++)
    if (!take (sentence, section, section_entry (section, i), settings, error))
      return NULL;
  sentence_due_find (sentence);
  return check (section, error) && check_archive (sentence, section, error)
                 && check_set (sentence, section, error)
                 && sentence_remember_check (sentence, section, error)
                 && check_deadline (sentence, section, error)
             ? g_steal_pointer (&sentence)
             : NULL;
}
