#include "engine/outbox/fit.h"

#include "avro/message.h"
#include "base/cut.h"
#include "engine/outbox/wire.h"

#include <string.h>

#define OUTCOMES "pruned.outcomes."
#define SHOWN_BYTES 200 /* of a key, in a log line */

static json_t *
content_of (const KafkaMessage *message, char **type)
{
  g_autoptr (KafkaMessage) stored = wire_read (message);
  if (stored == NULL)
    return NULL;
  const MessageSource source = { .value = stored->value,
                                 .value_len = stored->value_len,
                                 .headers = stored->headers,
                                 .n_headers = stored->n_headers,
                                 .space = OUTCOMES };
  MessageDecoded decoded = { 0 };
  g_autoptr (GError) error = NULL;
  json_t *content
      = message_decode (&source, &decoded, &error) ? json_incref (decoded.content) : NULL;
  if (content != NULL)
    *type = g_strdup (decoded.type);
  message_decoded_clear (&decoded);
  return content;
}

static json_t *cut_value (json_t *value, gsize most, gboolean *cut);

/* Cuts the texts of OBJECT, the deepest too. */
static void
cut_members (json_t *object, gsize most, gboolean *cut)
{
  const char *name;
  void *next;
  json_t *value;
  json_object_foreach_safe (object, next, name, value)
      json_object_set_new (object, name, cut_value (value, most, cut));
}

/* VALUE, or what takes its place. New reference. */
static json_t *
cut_value (json_t *value, gsize most, gboolean *cut)
{
  if (json_is_plain_object (value))
    cut_members (value, most, cut);
  for (gsize i = 0; json_is_array (value) && i < json_array_size (value); i++)
    json_array_set_new (value, i, cut_value (json_array_get (value, i), most, cut));
  if (!json_is_string (value) || json_string_length (value) <= most)
    return json_incref (value);
  g_autofree char *text = cut_text (json_string_value (value), most);
  *cut = TRUE;
  return json_string (text);
}

/* NULL: there is none. */
static char *
key_of (const KafkaMessage *message)
{
  return message->key != NULL ? g_strndup ((const char *)message->key, message->key_len) : NULL;
}

KafkaMessage *
fit_cut (const KafkaMessage *message, gsize most)
{
  g_autofree char *type = NULL;
  g_autoptr (json_t) content = content_of (message, &type);
  if (content == NULL)
    return NULL;
  g_autofree char *key = key_of (message), *short_key = key != NULL ? cut_text (key, most) : NULL;
  g_autoptr (GByteArray) value = g_byte_array_new ();
  gboolean cut = g_strcmp0 (key, short_key) != 0;
  cut_members (content, most, &cut);
  if (!cut || !message_encode (type, content, value, NULL))
    return NULL;
  g_autoptr (KafkaMessage) stored = wire_read (message); /* it is one: there is content */
  KafkaMessage parts = *stored;
  parts.key = (guint8 *)short_key;
  parts.key_len = short_key != NULL ? strlen (short_key) : 0;
  parts.value = value->data;
  parts.value_len = value->len;
  parts.acked = parts.refused = FALSE;
  g_autoptr (KafkaMessage) shorter = kafka_message_pack (&parts);
  return wire_write_like (shorter, message);
}

json_t *
fit_about (const KafkaMessage *message, const char *job)
{
  g_autofree char *type = NULL, *key = key_of (message),
                  *shown = key != NULL ? cut_text (key, SHOWN_BYTES) : NULL;
  g_autoptr (json_t) content = content_of (message, &type);
  const char *run_id = json_string_value (json_object_get (content, "run_id")),
             *own = json_string_value (json_object_get (content, "job"));
  json_t *about = json_object ();
  if (run_id != NULL) {
    json_object_set_new (about, "job", json_string (own != NULL ? own : job));
    json_object_set_new (about, "run_id", json_string (run_id));
  }
  if (type != NULL)
    json_object_set_new (about, "record", json_string (type + strlen (OUTCOMES)));
  if (shown != NULL)
    json_object_set_new (about, "key", json_string (shown));
  json_object_set_new (about, "topic", json_string (message->topic));
  json_object_set_new (about, "bytes",
                       json_integer ((json_int_t)(message->value_len + message->key_len)));
  return about;
}
