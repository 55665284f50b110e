#include "engine/outbox/owner.h"

#include "base/cut.h"
#include "base/json.h"
#include "base/uuid5.h"
#include "kafka/reader.h"
#include "pg/timeline.h"

#include <string.h>

#define KEY "owner"
#define WORD_BYTES 300 /* of a name; whoever can write to the topic chose it */

KafkaMessage *
owner_message (const char *topic, const Origin *origin, gboolean taken)
{
  KafkaMessage *message = kafka_message_new (topic, 0);
  if (origin == NULL || origin->database == NULL) {
    kafka_message_set_key (message, "?"); /* a compacted topic refuses a message without a key */
    kafka_message_set_value (message, "?", 1);
    return message;
  }
  g_autofree char *host = NULL;
  const gint64 newest = timeline_newest (origin->system, &host),
               timeline = MAX (origin->timeline, newest);
  g_autoptr (json_t) record = json_pack ("{s:s, s:s, s:s}", "database", origin->database, "name",
                                         origin->name, "host", host != NULL ? host : origin->host);
  if (timeline > 0)
    json_object_set_new (record, "timeline", json_integer (timeline));
  if (taken)
    json_object_set_new (record, "taken", json_true ());
  g_autofree char *text = json_text (record);
  kafka_message_set_key (message, KEY);
  kafka_message_set_value (message, text, strlen (text));
  return message;
}

static char *
text_of (const json_t *record, const char *field)
{
  const char *text = json_string_value (json_object_get (record, field));
  return cut_text (text != NULL ? text : "?", WORD_BYTES);
}

static gboolean
is_promoted (const Origin *owner, const char *database, gint64 timeline)
{
  return g_str_equal (owner->database, database) && timeline > owner->timeline;
}

void
owner_see (Origin *owner, const KafkaMessage *message)
{
  if (message->key_len != strlen (KEY) || memcmp (message->key, KEY, message->key_len) != 0
      || message->value == NULL)
    return;
  g_autoptr (json_t) record = json_parse ((const char *)message->value, message->value_len, NULL);
  const char *database = json_string_value (json_object_get (record, "database"));
  const gint64 timeline = json_integer_value (json_object_get (record, "timeline"));
  if (database == NULL || !uuid5_is_valid (database)
      || (owner->database != NULL && !json_is_true (json_object_get (record, "taken"))
          && !is_promoted (owner, database, timeline)))
    return;
  origin_clear (owner);
  *owner = (Origin){ .database = g_strdup (database),
                     .name = text_of (record, "name"),
                     .host = text_of (record, "host"),
                     .timeline = timeline };
}

static gboolean
see (const KafkaMessage *message, gpointer data)
{
  owner_see (data, message);
  return TRUE;
}

gboolean
owner_read (const char *const *settings, const char *topic, int timeout_ms, Origin *owner,
            GError **error)
{
  origin_clear (owner);
  if (kafka_read_topic (settings, topic, -1, timeout_ms,
                        &(KafkaVisitor){ .visit = see, .data = owner }, error))
    return TRUE;
  g_prefix_error (error, "whose topics these are cannot be read: ");
  return FALSE;
}

gboolean
owner_write (const char *const *settings, const char *topic, const Origin *origin, gboolean taken,
             GError **error)
{
  g_autoptr (KafkaProducer) producer = kafka_producer_new (settings, error);
  g_autoptr (GPtrArray) messages
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  g_ptr_array_add (messages, owner_message (topic, origin, taken));
  if (producer != NULL && kafka_publish (producer, messages, OWNER_MS, NULL, error))
    return TRUE;
  g_prefix_error (error, "whose topics these are cannot be written: ");
  return FALSE;
}

gboolean
owner_left_behind (const Origin *owner, const Origin *origin)
{
  return origin->timeline > 0 && origin->timeline < owner->timeline;
}

gboolean
owner_check (const Origin *owner, const Origin *origin, const char *prefix, GError **error)
{
  if (owner->database == NULL)
    return TRUE;
  if (g_str_equal (owner->database, origin->database))
    return !owner_left_behind (owner, origin)
           || error_fatal (
               error,
               "the server %s was left behind: its timeline is %" G_GINT64_FORMAT
               ", and the database goes on with %" G_GINT64_FORMAT
               " on %s, which was promoted since. End the old server, or make it a standby;"
               " if it was restored from a backup and takes the other one's place, run: pruned topics --take",
               origin->host, origin->timeline, owner->timeline, owner->host);
  g_autofree char *theirs = origin_words (owner), *ours = origin_words (origin);
  return error_fatal (
      error,
      "the topics %s.* of this Kafka belong to another database: %s; this one is %s. Give it another [topics] prefix;"
      " if it takes the other one's place, stop the other one's daemons, then run: pruned topics --take",
      prefix, theirs, ours);
}

gboolean
owner_settle (const char *const *settings, const char *prefix, const Origin *owner,
              const Origin *origin, GError **error)
{
  g_autofree char *topic = g_strconcat (prefix, "." OWNER_TOPIC, NULL);
  g_auto (Origin) now = { NULL };
  if (owner->database != NULL)
    return owner_check (owner, origin, prefix, error)
           && (origin->timeline <= owner->timeline
               || owner_write (settings, topic, origin, FALSE, error));
  if (!owner_write (settings, topic, origin, FALSE, error)
      || !owner_read (settings, topic, OWNER_MS, &now, error))
    return FALSE;
  if (owner_check (&now, origin, prefix, error))
    return TRUE;
  /* compaction keeps the last record, which would be ours */
  (void)!owner_write (settings, topic, &now, FALSE, NULL);
  return FALSE;
}
