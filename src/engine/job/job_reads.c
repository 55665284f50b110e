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

static json_t *
event_json (const SentenceEvent *event)
{
  return json_pack ("{s:s, s:s, s:s, s:o, s:s*, s:s*, s:s*, s:s*, s:s*}", "name", event->name,
                    "topic", event->topic, "format", event->format == EVENT_AVRO ? "avro" : "json",
                    "key", list_of (event->key), "due", event->due, "cancel_on", event->cancel_on,
                    "match_path", event->match_path, "match_value", event->match_value, "schema",
                    event->schema_text);
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

/* NULL: it is none, or of a newer program. */
static SentenceEvent *
event_of (const json_t *object, GPtrArray *events)
{
  const char *name = text_of (object, "name"), *topic = text_of (object, "topic"),
             *schema = text_of (object, "schema");
  const json_t *key = json_object_get (object, "key");
  if (name == NULL || topic == NULL || json_array_size (key) == 0)
    return NULL;
  SentenceEvent *event = g_new0 (SentenceEvent, 1);
  gboolean avro = g_strcmp0 (text_of (object, "format"), "avro") == 0;
  *event = (SentenceEvent){ .name = g_strdup (name),
                            .topic = g_strdup (topic),
                            .format = avro ? EVENT_AVRO : EVENT_JSON,
                            .key = texts_of (key),
                            .due = g_strdup (text_of (object, "due")),
                            .cancel_on = g_strdup (text_of (object, "cancel_on")),
                            .match_path = g_strdup (text_of (object, "match_path")),
                            .match_value = g_strdup (text_of (object, "match_value")),
                            .schema = schema != NULL ? shape_parse (NULL, schema, NULL) : NULL };
  g_ptr_array_add (events, event);
  const gboolean all_texts = g_strv_length (event->key) == json_array_size (key);
  return all_texts && (schema == NULL || event->schema != NULL) ? event : NULL;
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
                       .key = g_strdup (JOB_EVENT_KEY),
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
