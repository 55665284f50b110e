#include "engine/job/job_reads.h"

#include <string.h>

static const char *
text_of (const json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

/* --- to JSON --- */

static json_t *
list_of (char **texts)
{
  json_t *list = json_array ();
  for (char **text = texts; *text != NULL; text++)
    json_array_append_new (list, json_string (*text));
  return list;
}

/* A program that knows one `match` only takes no message without a type by what it cannot read. */
static void
add_match (json_t *object, const SentenceEvent *event)
{
  json_t *list = json_array ();
  for (guint i = 0; i < event->match->len; i++) {
    const SentenceMatch *match = event->match->pdata[i];
    json_array_append_new (list,
                           json_pack ("{s:s, s:s}", "path", match->path, "value", match->value));
  }
  json_object_set_new (object, "match", list);
  if (event->match->len > 0 || event->format == EVENT_AVRO) {
    const SentenceMatch *only = event->match->len == 1 ? event->match->pdata[0] : NULL;
    json_object_set_new (object, "match_path", json_string (only != NULL ? only->path : ""));
    json_object_set_new (object, "match_value", json_string (only != NULL ? only->value : "none"));
  }
}

static json_t *
event_json (const SentenceEvent *event)
{
  json_t *object
      = json_pack ("{s:s, s:s, s:s, s:o, s:s*, s:s*, s:s*, s:s*}", "name", event->name, "topic",
                   event->topic, "format", event->format == EVENT_AVRO ? "avro" : "json", "key",
                   list_of (event->key), "due", event->due, "cancel_on", event->cancel_on, "schema",
                   event->schema_text, "due_unit", epoch_word (event->due_unit));
  if (event->id != NULL)
    json_object_set_new (object, "id", json_string (event->id));
  if (event->columns != NULL)
    json_object_set_new (object, "columns", list_of (event->columns));
  if (event->jobs != NULL) {
    json_object_set_new (object, "jobs", list_of (event->jobs));
    json_object_set_new (object, "values", list_of (event->values));
  }
  json_object_set_new (object, "type", json_string (event->type));
  add_match (object, event);
  return object;
}

static void
add_topic (json_t *topics, const SentenceEvent *event)
{
  if (event != NULL)
    json_object_set_new (topics, event->topic, json_true ());
}

/* An event of ours: its record is known to each process. */
static json_t *
ours_json (const Job *job, const JobEvent *event)
{
  const char *key = event->unique_key != NULL ? event->unique_key : job->unique_key;
  return json_pack ("{s:s, s:s*, s:s*, s:b}", "type", event->type, "unique_key", key, "due",
                    event->due, "cancel_on_null", event->cancel_on_null);
}

json_t *
job_reads_of (const Job *job, const char *ours)
{
  g_autoptr (json_t) events = json_array (), topics = json_object ();
  for (guint i = 0; i < job->events->len; i++) {
    const JobEvent *event = job->events->pdata[i];
    if (event->by_erasure) /* whose process starts its runs */
      continue;
    if (event->own == NULL) {
      json_array_append_new (events, ours_json (job, event));
      json_object_set_new (topics, ours, json_true ());
      continue;
    }
    json_t *cancel = event->cancel != NULL ? event_json (event->cancel) : NULL;
    json_array_append_new (events, json_pack ("{s:o, s:o*, s:s*, s:s*}", "own",
                                              event_json (event->own), "cancel", cancel,
                                              "unique_key", event->unique_key, "due", event->due));
    add_topic (topics, event->own);
    add_topic (topics, event->cancel);
  }
  if (json_array_size (events) == 0)
    return NULL;
  return json_pack ("{s:i, s:s*, s:O, s:O}", "capacity", job->capacity, "table", job->table,
                    "topics", topics, "events", events);
}

/* --- from JSON --- */

static char **
texts_of (const json_t *list)
{
  GPtrArray *texts = g_ptr_array_new ();
  for (gsize i = 0; i < json_array_size (list); i++)
    g_ptr_array_add (texts, g_strdup (json_string_value (json_array_get (list, i))));
  g_ptr_array_add (texts, NULL);
  return (char **)g_ptr_array_free (texts, FALSE);
}

static gboolean
take_match (SentenceEvent *event, const char *path, const char *value)
{
  if (path != NULL && value != NULL)
    sentence_event_match (event, path, value);
  return path != NULL && value != NULL;
}

/* A program that knows one `match` only took each record. FALSE: one cannot be read. */
static gboolean
read_match (SentenceEvent *event, const json_t *object)
{
  const json_t *list = json_object_get (object, "match");
  const char *path = text_of (object, "match_path"), *value = text_of (object, "match_value");
  gboolean ok = TRUE;
  if (list == NULL && (path != NULL || value != NULL))
    ok = take_match (event, path, value);
  if (list == NULL && event->format == EVENT_AVRO)
    sentence_event_match (event, "record", "*");
  for (gsize i = 0; ok && i < json_array_size (list); i++) {
    const json_t *match = json_array_get (list, i);
    ok = take_match (event, text_of (match, "path"), text_of (match, "value"));
  }
  return ok && (list == NULL || json_is_array (list));
}

/* NULL: it is none, or of a newer program. */
static SentenceEvent *
event_of (const json_t *object, GPtrArray *events)
{
  const char *name = text_of (object, "name"), *topic = text_of (object, "topic"),
             *schema = text_of (object, "schema");
  const json_t *key = json_object_get (object, "key");
  if (name == NULL || topic == NULL || json_array_size (key) == 0)
    return NULL;
  SentenceEvent *event = sentence_event_new (name);
  event->topic = g_strdup (topic);
  event->format = g_strcmp0 (text_of (object, "format"), "avro") == 0 ? EVENT_AVRO : EVENT_JSON;
  event->key = texts_of (key);
  event->id = g_strdup (text_of (object, "id"));
  if (text_of (object, "type") != NULL) {
    g_free (event->type);
    event->type = g_strdup (text_of (object, "type"));
  }
  if (json_object_get (object, "columns") != NULL)
    event->columns = texts_of (json_object_get (object, "columns"));
  if (json_object_get (object, "jobs") != NULL) {
    event->jobs = texts_of (json_object_get (object, "jobs"));
    event->values = texts_of (json_object_get (object, "values"));
  }
  event->due = g_strdup (text_of (object, "due"));
  event->due_unit = epoch_unit (text_of (object, "due_unit"));
  event->cancel_on = g_strdup (text_of (object, "cancel_on"));
  event->schema = schema != NULL ? shape_parse (NULL, schema, NULL) : NULL;
  g_ptr_array_add (events, event);
  const gsize n = json_array_size (key);
  const gboolean all_texts = g_strv_length (event->key) == n
                             && (event->columns == NULL || g_strv_length (event->columns) == n);
  return read_match (event, object) && all_texts && (schema == NULL || event->schema != NULL)
             ? event
             : NULL;
}

static void
add_ours (Job *job, const json_t *object)
{
  JobEvent *event = g_new0 (JobEvent, 1);
  *event
      = (JobEvent){ .type = g_strdup (text_of (object, "type")),
                    .unique_key = g_strdup (text_of (object, "unique_key")),
                    .due = g_strdup (text_of (object, "due")),
                    .cancel_on_null = json_is_true (json_object_get (object, "cancel_on_null")) };
  g_ptr_array_add (job->events, event);
}

static void
add_event (Job *job, const json_t *object, GPtrArray *events)
{
  if (text_of (object, "type") != NULL) {
    add_ours (job, object);
    return;
  }
  const SentenceEvent *own = event_of (json_object_get (object, "own"), events);
  if (own == NULL)
    return;
  JobEvent *event = g_new0 (JobEvent, 1);
  *event = (JobEvent){ .type = g_strdup (own->name),
                       .key = g_strdup (own->columns != NULL ? JOB_EVENT_ROWS : JOB_EVENT_KEY),
                       .unique_key = g_strdup (text_of (object, "unique_key")),
                       .due = g_strdup (text_of (object, "due")),
                       .own = own,
                       .cancel = event_of (json_object_get (object, "cancel"), events) };
  g_ptr_array_add (job->events, event);
}

Job *
job_of_reads (const char *name, const json_t *reads, GPtrArray *events)
{
  json_int_t capacity = json_integer_value (json_object_get (reads, "capacity"));
  Job *job = job_of_name (name, (int)CLAMP (capacity, 1, 99999));
  job->table = g_strdup (text_of (reads, "table"));
  const json_t *list = json_object_get (reads, "events");
  for (gsize i = 0; i < json_array_size (list); i++)
    add_event (job, json_array_get (list, i), events);
  return job;
}
