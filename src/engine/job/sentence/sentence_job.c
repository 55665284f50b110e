#include "engine/job/sentence/sentence_job.h"

#include "engine/job/consistency.h"
#include "engine/job/job_private.h"
#include "engine/job/job_ranges.h"
#include "engine/job/job_record.h"

static char **
list (const char *item)
{
  char **items = g_new0 (char *, 2);
  items[0] = g_strdup (item);
  return items;
}

/* NULL: it has no `audit`. */
static char *
audit_of (const Sentence *sentence)
{
  static const char *const words[] = { "full", "keys", "off" };
  return sentence->audit_said ? g_strdup (words[sentence->audit]) : NULL;
}

/* What it does besides deleting or changing recorded rows cannot be read from the audit. */
static gboolean
is_bound (const Sentence *sentence)
{
  return sentence->kind != SENTENCE_DELETE && sentence->kind != SENTENCE_SET
         && sentence->kind != SENTENCE_FILES;
}

/* Files of an archive have its rows, and the audit knows which: they can come back from there. */
static gboolean
is_in_files (const Sentence *sentence)
{
  return sentence->archive_place != NULL && sentence->audit == SENTENCE_AUDIT_KEYS;
}

/* Changes with every key of its section, but not with SETTINGS (NULL: none). */
static char *
digest_of (const Sentence *sentence, const Section *section, GKeyFile *settings)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < section->n; i++) {
    const KeyFileEntry *entry = section_entry (section, i);
    if (settings != NULL && g_key_file_has_key (settings, "job", entry->key, NULL))
      continue;
    g_checksum_update (sum, (const guchar *)entry->key, -1);
    g_checksum_update (sum, (const guchar *)"=", 1);
    g_checksum_update (sum, (const guchar *)entry->value, -1);
    g_checksum_update (sum, (const guchar *)"\n", 1);
  }
  return job_version_text (sum, is_bound (sentence));
}

/* The keys of `[jobs.NAME]` that its steps read, and those that are set without effect. */
static char **
settings_of (GKeyFile *settings)
{
  static const char *const read[]
      = { "batch", "delay_ms", "ranges", "item_attempts", "park_retry_days", NULL };
  GPtrArray *keys = g_ptr_array_new ();
  for (guint i = 0; read[i] != NULL; i++)
    g_ptr_array_add (keys, g_strdup (read[i]));
  g_auto (GStrv) set = g_key_file_get_keys (settings, "job", NULL, NULL);
  for (guint i = 0; set != NULL && set[i] != NULL; i++)
    g_ptr_array_add (keys, g_strdup (set[i]));
  g_ptr_array_add (keys, NULL);
  return (char **)g_ptr_array_free (keys, FALSE);
}

#define BY_PROCESSORS "0" /* its rows go in no order, and its pages are found on the primary */

static void
set_default (GKeyFile *settings, const char *key, const char *value)
{
  if (!g_key_file_has_key (settings, "job", key, NULL))
    g_key_file_set_string (settings, "job", key, value);
}

/* A condition beside `on` is often a guard for events that come twice, and not a search. */
static gboolean
takes_ticks (const Sentence *sentence, GKeyFile *settings)
{
  g_autofree char *schedule = g_key_file_get_string (settings, "job", "schedule", NULL);
  const gboolean said = sentence->ticks == SENTENCE_TICKS_ON
                        || (schedule != NULL && !g_str_equal (schedule, "off"));
  return sentence_has_pages (sentence) && (said || sentence->on[0] == NULL);
}

Job *
sentence_job (Sentence *sentence, const Section *section, GKeyFile *settings)
{
  Job *job = job_new (sentence->place, sentence->name);
  job->sentence = sentence;
  job->kind = job_kind_of (NULL, sentence);
  for (const JobKindDefault *one = job->kind->defaults; one->key != NULL; one++)
    set_default (settings, one->key, one->value);
  g_key_file_unref (job->conf);
  job->conf = g_key_file_ref (settings);
  if (job_ranges_refusal (job) == NULL && !consistency_is_sticky (sentence->consistency))
    set_default (settings, "ranges", BY_PROCESSORS);
  job->labels[LABEL_DATA_CONSISTENCY] = g_strdup (sentence->consistency);
  job->on = g_strdupv (sentence->on);
  job->by_event = job_names_rows (job);
  job->by_tick = takes_ticks (sentence, settings);
  job->unique_key = g_strdup (job->name);
  job->table = g_strdup (sentence->table);
  job->items = list (sentence->table);
  job->arguments = g_new0 (char *, 1);
  job->argument_types = g_new0 (char *, 1);
  job->needs = g_new0 (char *, 1);
  job->reads = g_new0 (char *, 1);
  job->follows = g_new0 (char *, 1);
  job->unfollowed = g_new0 (char *, 1);
  job->makes = g_new0 (char *, 1);
  job->deletes = g_new0 (char *, 1);
  job->locked = g_new0 (char *, 1);
  job->launches = g_new0 (char *, 1);
  job->settings = settings_of (settings);
  job->remember_days = sentence->remember_days;
  job->audit = audit_of (sentence);
  if (sentence->record != NULL)
    job->record = job_record_read (sentence->table, sentence->record, NULL);
  const char *unrecorded = is_in_files (sentence) ? NULL : job_final_by_audit (job->audit);
  job->final = g_strdup (job->kind->final != NULL ? job->kind->final : unrecorded);
  job->version = digest_of (sentence, section, settings); /* what it does */
  job->written = digest_of (sentence, section, NULL);
  return job;
}
