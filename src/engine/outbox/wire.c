#include "engine/outbox/wire.h"

#include "avro/message.h"
#include "avro/readable.h"
#include "avro/registry.h"
#include "engine/outbox/bundle.h"

#include <stdatomic.h>
#include <string.h>

#define OUTCOMES "pruned.outcomes."
#define MARK 0xc3     /* an outcome that is not yet what is sent begins with it */
#define HEAD_BYTES 10 /* C3 01, then the schema's fingerprint */
#define FRAME_BYTES 5 /* 00, then the schema's number in the registry */
#define CONTENT_TYPE "content-type"

typedef enum { WIRE_AVRO, WIRE_JSON, WIRE_REGISTRY } WireFormat;
static atomic_int format = WIRE_AVRO;

/* The record's full name, borrowed; NULL: MESSAGE is no outcome. */
static const char *
type_of (const KafkaMessage *message)
{
  const MessageHeader *type = kafka_message_header (message, "ce_type");
  return type != NULL && type->value != NULL && g_str_has_prefix (type->value, OUTCOMES)
             ? type->value
             : NULL;
}

/* MESSAGE with another VALUE, of this content type. */
static KafkaMessage *
with_value (const KafkaMessage *message, const GByteArray *value, const char *content_type)
{
  g_autofree MessageHeader *headers
      = g_memdup2 (message->headers, message->n_headers * sizeof *headers);
  for (guint i = 0; i < message->n_headers; i++)
    if (g_str_equal (headers[i].name, CONTENT_TYPE)) {
      headers[i].value = (char *)content_type;
      headers[i].value_len = strlen (content_type);
    }
  KafkaMessage parts = *message;
  parts.headers = headers;
  parts.value = value->data;
  parts.value_len = value->len;
  parts.acked = parts.refused = parts.too_large = FALSE;
  return kafka_message_pack (&parts);
}

/* --- JSON --- */

static KafkaMessage *
write_json (const KafkaMessage *stored, GError **error)
{
  const MessageSource source = { .value = stored->value,
                                 .value_len = stored->value_len,
                                 .headers = stored->headers,
                                 .n_headers = stored->n_headers,
                                 .space = OUTCOMES };
  g_autofree char *text = readable_write (&source, error);
  if (text == NULL)
    return NULL;
  const GByteArray value = { (guint8 *)text, (guint)strlen (text) };
  return with_value (stored, &value, "application/json");
}

/* --- the registry --- */

static KafkaMessage *
write_registered (const KafkaMessage *stored, GError **error)
{
  guint32 id;
  const guint8 zero = 0;
  if (!registry_number (type_of (stored), TRUE, &id, error))
    return NULL;
  id = GUINT32_TO_BE (id);
  g_autoptr (GByteArray) value = g_byte_array_new ();
  g_byte_array_append (value, &zero, 1);
  g_byte_array_append (value, (const guint8 *)&id, sizeof id);
  g_byte_array_append (value, stored->value + HEAD_BYTES, (guint)(stored->value_len - HEAD_BYTES));
  return with_value (stored, value, "application/avro");
}

/* --- either --- */

static KafkaMessage *
write_as (WireFormat how, const KafkaMessage *stored, GError **error)
{
  return how == WIRE_JSON ? write_json (stored, error) : write_registered (stored, error);
}

static gboolean
write_all (GPtrArray *messages, GError **error)
{
  const WireFormat how = (WireFormat)atomic_load (&format);
  for (guint i = 0; how != WIRE_AVRO && i < messages->len; i++) {
    KafkaMessage *stored = messages->pdata[i];
    if (type_of (stored) == NULL || stored->value[0] != MARK)
      continue;
    KafkaMessage *written = write_as (how, stored, error);
    if (written == NULL)
      return FALSE;
    messages->pdata[i] = written;
    kafka_message_free (stored);
  }
  return TRUE;
}

gboolean
wire_begin (const Config *config, GError **error)
{
  const char *said = config_text (config, "outcomes", "format");
  const WireFormat wanted = g_str_equal (said, "json")       ? WIRE_JSON
                            : g_str_equal (said, "registry") ? WIRE_REGISTRY
                                                             : WIRE_AVRO;
  atomic_store (&format, (int)wanted);
  if (wanted != WIRE_AVRO)
    bundle_through (write_all);
  return wanted != WIRE_REGISTRY || *config_text (config, "registry", "url") != '\0'
         || error_fatal (error, "%s: format = registry in [outcomes] needs [registry] url",
                         config_origin (config, "outcomes", "format"));
}

static gboolean
is_framed (const KafkaMessage *message)
{
  return message->value_len >= FRAME_BYTES && message->value[0] == 0;
}

KafkaMessage *
wire_read (const KafkaMessage *message)
{
  const char *type = type_of (message);
  g_autoptr (GByteArray) value = g_byte_array_new ();
  if (type == NULL || message->value_len == 0)
    return NULL;
  if (message->value[0] == '{')
    return readable_read (type, (const char *)message->value, message->value_len, value)
               ? with_value (message, value, "application/avro")
               : NULL;
  if (!is_framed (message))
    return kafka_message_copy (message);
  const guint64 fingerprint = GUINT64_TO_LE (message_fingerprint (type));
  g_byte_array_append (value, (const guint8 *)"\xc3\x01", 2);
  g_byte_array_append (value, (const guint8 *)&fingerprint, sizeof fingerprint);
  g_byte_array_append (value, message->value + FRAME_BYTES,
                       (guint)(message->value_len - FRAME_BYTES));
  return with_value (message, value, "application/avro");
}

KafkaMessage *
wire_write_like (const KafkaMessage *stored, const KafkaMessage *like)
{
  if (like->value[0] == '{')
    return write_as (WIRE_JSON, stored, NULL);
  return is_framed (like) ? write_as (WIRE_REGISTRY, stored, NULL) : kafka_message_copy (stored);
}
