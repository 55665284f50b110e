#include "kafka/message.h"
#include <string.h>

/* The message and, if it was packed, everything it points to, in one block of SIZE bytes. */
typedef struct {
  KafkaMessage message;
  gsize size;
} Block;

/* Frees FIELD unless it is part of the message's own block. */
static void
free_field (const KafkaMessage *message, gpointer field)
{
  const char *start = (const char *)message;
  const char *at = field;
  if (at < start || at >= start + ((const Block *)message)->size)
    g_free (field);
}

static gpointer
copy_bytes (gconstpointer bytes, gsize len)
{
  if (bytes == NULL)
    return NULL;
  guint8 *copy = g_malloc (len + 1);
  if (len > 0)
    memcpy (copy, bytes, len);
  copy[len] = 0;
  return copy;
}

KafkaMessage *
kafka_message_new (const char *topic, gint32 partition)
{
  Block *block = g_new0 (Block, 1);
  block->size = sizeof *block;
  block->message = (KafkaMessage){
    .topic = g_strdup (topic), .partition = partition, .offset = -1, .timestamp_ms = -1
  };
  return &block->message;
}

void
kafka_message_free (KafkaMessage *message)
{
  if (message == NULL)
    return;
  for (guint i = 0; i < message->n_headers; i++) {
    free_field (message, message->headers[i].name);
    free_field (message, message->headers[i].value);
  }
  free_field (message, message->headers);
  free_field (message, message->topic);
  free_field (message, message->key);
  free_field (message, message->value);
  g_free (message);
}

void
kafka_message_set_key (KafkaMessage *message, const char *text)
{
  free_field (message, message->key);
  message->key_len = text != NULL ? strlen (text) : 0;
  message->key = copy_bytes (text, message->key_len);
}

void
kafka_message_set_value (KafkaMessage *message, gconstpointer value, gsize len)
{
  free_field (message, message->value);
  message->value_len = value != NULL ? len : 0;
  message->value = copy_bytes (value, len);
}

void
kafka_message_take_value (KafkaMessage *message, GByteArray *value)
{
  free_field (message, message->value);
  message->value_len = value->len;
  message->value = g_byte_array_free (value, FALSE);
  if (message->value
      == NULL) /* an empty array has NULL data, but an empty value is not a tombstone */
    message->value = g_malloc0 (1);
}

static void
append_header (KafkaMessage *message, const char *name, gconstpointer value, gsize len)
{
  gsize n = message->n_headers;
  MessageHeader *headers = g_new (MessageHeader, n + 1);
  if (n > 0)
    memcpy (headers, message->headers, n * sizeof *headers);
  headers[n] = (MessageHeader){ g_strdup (name), copy_bytes (value, len), value != NULL ? len : 0 };
  free_field (message, message->headers);
  message->headers = headers;
  message->n_headers++;
}

void
kafka_message_add_header (KafkaMessage *message, const char *name, const char *value)
{
  append_header (message, name, value, value != NULL ? strlen (value) : 0);
}

const MessageHeader *
kafka_message_header (const KafkaMessage *message, const char *name)
{
  for (guint i = 0; i < message->n_headers; i++)
    if (g_str_equal (message->headers[i].name, name))
      return &message->headers[i];
  return NULL;
}

KafkaMessage *
kafka_message_copy (const KafkaMessage *message)
{
  return kafka_message_copy_as (message, message->topic, message->n_headers);
}

KafkaMessage *
kafka_message_copy_as (const KafkaMessage *message, const char *topic, guint n_headers)
{
  KafkaMessage *copy = kafka_message_new (topic, message->partition);
  copy->offset = message->offset;
  copy->timestamp_ms = message->timestamp_ms;
  copy->key = copy_bytes (message->key, message->key_len);
  copy->key_len = message->key_len;
  copy->value = copy_bytes (message->value, message->value_len);
  copy->value_len = message->value_len;
  for (guint i = 0; i < n_headers; i++) {
    const MessageHeader *header = &message->headers[i];
    append_header (copy, header->name, header->value, header->value_len);
  }
  return copy;
}

/* --- first measured, then laid out in one block --- */

static gpointer
place (char **free_space, gconstpointer bytes, gsize len)
{
  if (bytes == NULL)
    return NULL;
  char *at = *free_space;
  if (len > 0)
    memcpy (at, bytes, len);
  at[len] = 0;
  *free_space = at + len + 1;
  return at;
}

static gsize
measure (const KafkaMessage *parts)
{
  gsize size = sizeof (Block) + parts->n_headers * sizeof (MessageHeader);
  size += strlen (parts->topic) + 1 + parts->key_len + 1 + parts->value_len + 1;
  for (guint i = 0; i < parts->n_headers; i++)
    size += strlen (parts->headers[i].name) + 1 + parts->headers[i].value_len + 1;
  return size;
}

KafkaMessage *
kafka_message_pack (const KafkaMessage *parts)
{
  gsize size = measure (parts);
  Block *block = g_malloc (size);
  KafkaMessage *message = &block->message;
  MessageHeader *own = (MessageHeader *)(block + 1);
  char *space = (char *)(own + parts->n_headers);
  block->size = size;
  *message = *parts;
  message->topic = place (&space, parts->topic, strlen (parts->topic));
  message->key = place (&space, parts->key, parts->key_len);
  message->value = place (&space, parts->value, parts->value_len);
  message->headers = own;
  for (guint i = 0; i < parts->n_headers; i++) {
    const MessageHeader *header = &parts->headers[i];
    own[i] = (MessageHeader){ place (&space, header->name, strlen (header->name)),
                              place (&space, header->value, header->value_len), header->value_len };
  }
  return message;
}
