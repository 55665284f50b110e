#include "engine/job/sentence/sentence_read.h"

#include "base/resource.h"
#include "base/trusted.h"
#include "engine/job/sentence/event_key.h"

#include <string.h>

#define TOPIC_MOST 249

#define ANY "any"

static gboolean
read_topic (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  gsize len = strlen (value);
  gboolean ok
      = len > 0 && len <= TOPIC_MOST && !g_str_equal (value, ".") && !g_str_equal (value, "..");
  for (const char *c = value; *c != '\0'; c++)
    ok = ok && (g_ascii_isalnum (*c) || strchr ("._-", *c) != NULL);
  event->topic = g_strdup (value);
  return ok || error_fatal (error, "'%s' cannot be a topic's name", value);
}

/* Several sections can be about messages of one type, each with a key of its own. */
static gboolean
read_type (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  g_free (event->type);
  event->type = g_strdup (value);
  return *value != '\0' || error_fatal (error, "the value is empty");
}

static gboolean
read_format (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->format = g_ascii_strcasecmp (value, "avro") == 0 ? EVENT_AVRO : EVENT_JSON;
  return event->format == EVENT_AVRO || g_ascii_strcasecmp (value, "json") == 0
         || g_ascii_strcasecmp (value, "CloudEvents") == 0
         || error_fatal (error, "expected json, avro or CloudEvents, not '%s'", value);
}

static gboolean
read_schema (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->schema_file = g_strdup (value);
  return *value != '\0' || error_fatal (error, "the value is empty");
}

static gboolean
read_key (gpointer into, const Key *key, const char *value, GError **error)
{
  return event_key_take (into, value, error);
}

/* `orders.erase, people.erase` */
static gboolean
read_jobs (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->jobs = g_strsplit (value, ",", -1);
  for (guint i = 0; event->jobs[i] != NULL; i++) {
    if (*g_strstrip (event->jobs[i]) == '\0')
      return error_fatal (error, "a name is empty");
    for (guint k = 0; k < i; k++)
      if (g_str_equal (event->jobs[k], event->jobs[i]))
        return error_fatal (error, "the job %s twice", event->jobs[i]);
  }
  return event->jobs[0] != NULL || error_fatal (error, "the value is empty");
}

static gboolean
read_id (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->id = g_strdup (value);
  return event_key_is_path (value, error);
}

static gboolean
read_due (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->due = g_strdup (value);
  return event_key_is_path (value, error);
}

static gboolean
read_due_unit (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->due_unit = epoch_unit (value);
  return event->due_unit != EPOCH_NONE
         || error_fatal (error, "expected days, ms or us, not '%s'", value);
}

static gboolean
read_cancel_on (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  event->cancel_on = g_strdup (value);
  if (g_str_equal (value, event->name))
    return error_fatal (error, "an event cannot cancel itself");
  return *value != '\0' || error_fatal (error, "the value is empty");
}

/* `type = X`, or `any` */
static gboolean
read_match (gpointer into, const Key *key, const char *value, GError **error)
{
  SentenceEvent *event = into;
  const char *equals = strchr (value, '=');
  if (g_str_equal (value, ANY))
    return TRUE;
  if (equals == NULL)
    return error_fatal (error, "expected path = value, or any, not '%s'", value);
  g_autofree char *path = g_strstrip (g_strndup (value, equals - value)),
                  *wanted = g_strstrip (g_strdup (equals + 1));
  sentence_event_match (event, path, wanted);
  return event_key_is_path (*path == '.' ? path + 1 : path, error)
         && (*wanted != '\0'
             || error_fatal (error, "expected path = value, or any, not '%s'", value));
}

/* The first one is only of an [erasure]. */
static const Key KEYS[] = { { "jobs", read_jobs },
                            { "type", read_type },
                            { "topic", read_topic },
                            { "format", read_format },
                            { "schema", read_schema },
                            { "key", read_key },
                            { "id", read_id },
                            { "due", read_due },
                            { "due_unit", read_due_unit },
                            { "cancel_on", read_cancel_on },
                            { "match", read_match },
                            { NULL } };

static gboolean
take (SentenceEvent *event, const Section *section, const KeyFileEntry *entry, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const Key *keys = section->is_erasure ? KEYS : KEYS + 1, *key = key_find (keys, entry->key);
  if (key->name == NULL)
    return sentence_key_unknown (section, entry, keys, error);
  return (key->read == read_match || sentence_key_once (section, entry, error))
         && (key->read (event, key, entry->value, &cause)
             || section_fail (section, entry, error, "%s: %s", entry->key, cause->message));
}

/* --- match --- */

static const KeyFileEntry *
find_any (const Section *section)
{
  for (guint i = 0; i < section->n; i++) {
    const KeyFileEntry *entry = section_entry (section, i);
    if (g_str_equal (entry->key, "match") && g_str_equal (entry->value, ANY))
      return entry;
  }
  return NULL;
}

/* No section takes whatever is in its topic unless it says so. */
static gboolean
says_which (const SentenceEvent *event, const Section *section, GError **error)
{
  const KeyFileEntry *any = find_any (section);
  if (any != NULL && event->match->len > 0)
    return section_fail (section, any, error, "match: any stands alone: leave it out");
  if (any != NULL && event->format == EVENT_AVRO)
    return section_fail (section, any, error,
                         "match: of Avro `record = *` takes every record of the topic, not any");
  return any != NULL || event->match->len > 0 || event->format == EVENT_AVRO
         || section_fail (section, NULL, error,
                          "[%s %s] says nothing of messages without a type, and would take all"
                          " of them. Add `match = header.ce_type = %s` to take only those with this"
                          " header; or a field that says what a message is, as in `match = type ="
                          " %s`; or `match = any`, if nothing else is in %s",
                          section->is_erasure ? "erasure" : "event", event->name, event->type,
                          event->type, event->topic);
}

/* --- the schema --- */

/* The file lies beside the one that holds the section, unless its path says otherwise. */
static gboolean
load_schema (SentenceEvent *event, const Section *section, GChecksum *sum, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const KeyFileEntry *entry = section_find (section, "schema");
  g_autofree char *folder = g_path_get_dirname (section->path);
  g_autofree char *path = g_path_is_absolute (event->schema_file)
                              ? g_strdup (event->schema_file)
                              : g_build_filename (folder, event->schema_file, NULL);
  g_autofree char *text = NULL;
  if (event->format != EVENT_AVRO)
    return section_fail (section, entry, error, "schema: only an event with format = avro has one");
  if (resource_is_no_file (path)) /* who reads it waits for a writer */
    return section_fail (section, entry, error, "schema: %s: this is no file", path);
  if (!trusted_file (path, &cause) || !g_file_get_contents (path, &text, NULL, &cause))
    return section_fail (section, entry, error, "schema: %s", cause->message);
  g_checksum_update (sum, (const guchar *)text, -1);
  event->schema = shape_parse (NULL, text, &cause);
  event->schema_text = g_steal_pointer (&text);
  return event->schema != NULL
         || section_fail (section, entry, error, "schema: %s: %s", path, cause->message);
}

static void
add_entries (const Section *section, GChecksum *sum)
{
  for (guint i = 0; i < section->n; i++) {
    const KeyFileEntry *entry = section_entry (section, i);
    g_autofree char *line = g_strdup_printf ("%s=%s\n", entry->key, entry->value);
    g_checksum_update (sum, (const guchar *)line, -1);
  }
}

/* What must be there. NULL: all is. */
static const char *
lacks (const SentenceEvent *event, const Section *section)
{
  if (event->topic == NULL || event->key == NULL)
    return event->topic == NULL ? "topic" : "key";
  return section->is_erasure && event->jobs == NULL ? "jobs" : NULL;
}

static gboolean
check (const SentenceEvent *event, const Section *section, GError **error)
{
  if (event->due_unit != EPOCH_NONE && event->due == NULL)
    return section_fail (section, section_find (section, "due_unit"), error,
                         "due_unit: there is no 'due' whose unit it would be");
  if (lacks (event, section) != NULL)
    return section_fail (section, NULL, error, "there is no '%s'", lacks (event, section));
  if (section->is_erasure && event->columns != NULL)
    return section_fail (section, section_find (section, "key"), error,
                         "key: of an erasure it has paths only. Which column of a table it is says"
                         " the job of the table: key = %s = %s",
                         event->columns[0], event->key[0]);
  return says_which (event, section, error);
}

SentenceEvent *
sentence_event_read (const Section *section, gboolean no_registry, GError **error)
{
  g_autoptr (SentenceEvent) event = sentence_event_new (section->name);
  event->place = g_strdup_printf ("%s:%d", section->path, section->line);
  if (!sentence_name_check (section, error))
    return NULL;
  for (guint i = 0; i < section->n; i++)
    if (!take (event, section, section_entry (section, i), error))
      return NULL;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  add_entries (section, sum);
  if (event->schema_file != NULL && !load_schema (event, section, sum, error))
    return NULL;
  if (event->format == EVENT_AVRO && event->schema == NULL && no_registry) {
    section_fail (section, NULL, error,
                  "format = avro needs a schema: write `schema = FILE.avsc`, or set"
                  " [registry] url");
    return NULL;
  }
  event->version = g_strndup (g_checksum_get_string (sum), 16);
  return check (event, section, error) ? g_steal_pointer (&event) : NULL;
}
