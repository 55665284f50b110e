#include "engine/job/job_erasure.h"

#include "config/nearest.h"
#include "engine/job/job_private.h"
#include "engine/job/sentence/event_key.h"
#include "engine/job/sentence/sentence_read.h"

#include <string.h>

/* --- its jobs --- */

static const Section *
find_sentence (const GPtrArray *sections, const char *name)
{
  for (guint i = 0; i < sections->len; i++) {
    const Section *section = sections->pdata[i];
    if (!section->is_event && g_str_equal (section->name, name))
      return section;
  }
  return NULL;
}

static gboolean fail_jobs (const Section *section, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail_jobs (const Section *section, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  return section_fail (section, section_find (section, "jobs"), error, "jobs: %s", why);
}

static gboolean
fail_unknown (const Section *section, const GPtrArray *sections, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < sections->len; i++)
    if (!((const Section *)sections->pdata[i])->is_event)
      g_ptr_array_add (names, ((const Section *)sections->pdata[i])->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *hint = nearest_hint (name, (const char *const *)names->pdata);
  return fail_jobs (section, error, "there is no [retention %s]%s", name, hint);
}

static gboolean
expects (const Section *sentence, const char *event)
{
  const KeyFileEntry *on = section_find (sentence, "on");
  g_auto (GStrv) names = g_strsplit_set (on != NULL ? on->value : "", ", \t", -1);
  return g_strv_contains ((const char *const *)names, event);
}

static char *
version_of (const SentenceEvent *event, const char *job, const char *key)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%s", event->version, job, key);
  g_checksum_update (sum, (const guchar *)text, -1);
  return g_strndup (g_checksum_get_string (sum), 16);
}

/* What is the same in all parts is read from SECTION again. */
static SentenceEvent *
read_part (const SentenceEvent *event, const Section *section, const Section *sentence,
           gboolean no_registry, GError **error)
{
  const KeyFileEntry *key = section_find (sentence, "key");
  g_autoptr (GError) cause = NULL;
  g_autoptr (SentenceEvent) part = sentence_event_read (section, no_registry, error);
  if (part == NULL)
    return NULL;
  g_clear_pointer (&part->jobs, g_strfreev);
  part->of = g_strdup (sentence->name);
  part->has_own_key = key != NULL;
  if (key != NULL && !event_key_take (part, key->value, &cause)) {
    section_fail (sentence, key, error, "key: %s", cause->message);
    return NULL;
  }
  g_free (part->version);
  part->version = version_of (event, part->of, key != NULL ? key->value : "");
  return g_steal_pointer (&part);
}

static gboolean
read_parts (SentenceEvent *event, const Section *section, const GPtrArray *sections,
            gboolean no_registry, GError **error)
{
  event->parts = g_ptr_array_new_with_free_func ((GDestroyNotify)sentence_event_free);
  sentence_event_add_values (event, event->key);
  for (char **job = event->jobs; *job != NULL; job++) {
    const Section *sentence = find_sentence (sections, *job);
    if (sentence == NULL)
      return fail_unknown (section, sections, *job, error);
    if (sentence->broken == NULL && !expects (sentence, event->name))
      return fail_jobs (section, error, "[retention %s] does not expect it: write on = %s there",
                        *job, event->name);
    SentenceEvent *part = read_part (event, section, sentence, no_registry, error);
    if (part == NULL)
      return FALSE;
    g_ptr_array_add (event->parts, part);
    sentence_event_add_values (event, part->key);
  }
  return TRUE;
}

/* --- its messages --- */

static gboolean
has_match (const SentenceEvent *event, const SentenceMatch *match)
{
  for (guint i = 0; i < event->match->len; i++) {
    const SentenceMatch *other = event->match->pdata[i];
    if (g_str_equal (other->path, match->path) && g_str_equal (other->value, match->value))
      return TRUE;
  }
  return FALSE;
}

/* All that A wants of a message B wants, too. */
static gboolean
wants_all_of (const SentenceEvent *a, const SentenceEvent *b)
{
  gboolean all = TRUE;
  for (guint i = 0; all && i < a->match->len; i++)
    all = has_match (b, a->match->pdata[i]);
  return all;
}

/* A message would be two erasures, and have two ends. */
static gboolean
is_only_one (const SentenceEvent *event, const Section *section, const GPtrArray *others,
             GError **error)
{
  for (guint i = 0; i < others->len; i++) {
    const SentenceEvent *other = others->pdata[i];
    if (other->jobs != NULL && g_str_equal (other->topic, event->topic)
        && g_str_equal (other->type, event->type)
        && (wants_all_of (event, other) || wants_all_of (other, event)))
      return section_fail (section, NULL, error,
                           "[erasure %s] (%s) takes the same messages: an event is one erasure, so"
                           " name all jobs in its `jobs`",
                           other->name, other->place);
  }
  return TRUE;
}

gboolean
job_erasure_read (SentenceEvent *event, const Section *section, const GPtrArray *sections,
                  const GPtrArray *others, gboolean no_registry, GError **error)
{
  return is_only_one (event, section, others, error)
         && read_parts (event, section, sections, no_registry, error);
}

/* --- the job --- */

static char **
empty (void)
{
  return g_new0 (char *, 1);
}

static char *
digest_of (const SentenceEvent *event)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (sum, (const guchar *)event->version, -1);
  for (guint i = 0; i < event->parts->len; i++) {
    const SentenceEvent *part = event->parts->pdata[i];
    g_checksum_update (sum, (const guchar *)part->version, -1);
  }
  return job_version_text (sum, FALSE);
}

/* No limit is about it: those of its jobs are. */
Job *
job_erasure_new (const Section *section, const SentenceEvent *event)
{
  Job *job = job_new (event->place, section->name);
  job->kind = job_kind_erasure;
  g_key_file_set_string (job->conf, "job", "approve", "never");
  job->by_event = TRUE;
  job->on = g_new0 (char *, 2);
  job->on[0] = g_strdup (event->name);
  job->arguments = empty ();
  job->argument_types = empty ();
  job->needs = empty ();
  job->reads = empty ();
  job->items = empty ();
  job->follows = empty ();
  job->unfollowed = empty ();
  job->makes = empty ();
  job->deletes = empty ();
  job->locked = empty ();
  job->settings = empty ();
  job->launches = g_strdupv (event->jobs);
  job->version = digest_of (event);
  job->written = g_strdup (job->version);
  return job;
}

const SentenceEvent *
job_erasure (const Job *job)
{
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    if (event->own != NULL && event->own->jobs != NULL)
      return event->own;
  }
  return NULL;
}

/* As admit_own_args makes them where the key cannot be asked: the run's step writes it. */
json_t *
job_erasure_args (const SentenceEvent *part, const json_t *values)
{
  json_t *rows = json_object (), *parts = json_array ();
  json_t *args = part->columns != NULL ? json_pack ("{s:O}", JOB_EVENT_ROWS, rows)
                                       : json_pack ("{s:O}", "parts", parts);
  const guint n = g_strv_length (part->key);
  for (guint i = 0; args != NULL && i < n; i++) {
    json_t *value = json_object_get (values, part->key[i]);
    if (value == NULL)
      g_clear_pointer (&args, json_decref);
    else if (part->columns != NULL)
      json_object_set (rows, part->columns[i], value);
    else
      json_array_append (parts, value);
  }
  if (args != NULL && part->columns == NULL) {
    g_autofree char *text = n == 1 ? NULL : json_text (parts);
    json_object_set_new (args, JOB_EVENT_KEY,
                         n == 1 ? json_incref (json_array_get (parts, 0)) : json_string (text));
  }
  json_decref (rows);
  json_decref (parts);
  return args;
}
