/* Checks the headers and the first bytes of a value before its content is read. The order of the
 * checks is the order in which the reasons help a producer: is there a value, which type, which
 * form, which fields. */
#include "avro/message.h"
#include "avro/decode.h"
#include "base/clock.h"
#include "base/error.h"
#include <string.h>

#define TICK "pruned.Tick"
#define FRAME_BYTES 10   /* C3 01, then the fingerprint */
#define REASON_BYTES 400 /* the longest reason: it goes into a header and a log line */
#define SHOWN "%.200s"   /* for text that a producer sent */

typedef enum {
  FRAMING_ANY,
  FRAMING_AVRO,
  FRAMING_CONFLUENT,
  FRAMING_JSON,
  FRAMING_UNKNOWN
} Framing;

/* --- the schemas of messages --- */

void
message_setup (void)
{
  records_setup ();
}

const char *const *
message_types (void)
{
  return records_names ();
}

const char *
message_schema (const char *type)
{
  const Schema *schema = schema_find (type);
  return schema != NULL ? schema->text : NULL;
}

guint64
message_fingerprint (const char *type)
{
  const Schema *schema = schema_find (type);
  g_assert (schema != NULL);
  return schema->fingerprint;
}

const char *const *
message_fields (const char *type)
{
  const Schema *schema = schema_find (type);
  return schema != NULL ? schema->field_names : NULL;
}

gboolean
message_needs (const char *type, const char *field)
{
  const Schema *schema = schema_find (type);
  int index = schema != NULL ? schema_field_index (schema, field, strlen (field)) : -1;
  return index >= 0 && !schema->fields[index].nullable && !schema->fields[index].has_default;
}

/* --- a received value --- */

static gboolean refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (PRUNED_ERROR, PRUNED_REJECT, format, args));
  va_end (args);
  return FALSE;
}

static gboolean
same_value (const MessageHeader *a, const MessageHeader *b)
{
  return a->value_len == b->value_len && memcmp (a->value, b->value, a->value_len) == 0;
}

gboolean
message_header (const MessageSource *source, const char *name, const char **text, GError **error)
{
  const MessageHeader *found = NULL;
  *text = NULL;
  for (guint i = 0; i < source->n_headers; i++) {
    const MessageHeader *header = &source->headers[i];
    if (strcmp (header->name, name) != 0 || header->value == NULL || header->value_len == 0)
      continue;
    if (found != NULL && !same_value (found, header))
      return refuse (error, "undecodable: header %s is there twice, with different values", name);
    found = header;
  }
  if (found == NULL)
    return TRUE;
  if (!g_utf8_validate_len (found->value, found->value_len, NULL))
    return refuse (error, "undecodable: header %s is not UTF-8 text", name);
  *text = found->value;
  return TRUE;
}

static gboolean
belongs (const char *type, const char *space)
{
  return g_str_has_suffix (space, ".") ? g_str_has_prefix (type, space) : g_str_equal (type, space);
}

/* Finds the schema by the headers and the topic; SAID: a header named it. */
static gboolean
find_type (const MessageSource *source, const Schema **schema, gboolean *said, GError **error)
{
  const char *type;
  if (!message_header (source, "ce_type", &type, error))
    return FALSE;
  *said = type != NULL;
  if (type == NULL)
    type = source->type;
  if (type == NULL)
    return refuse (error, "missing header ce_type");
  *schema = schema_find (type);
  if (*schema == NULL)
    return refuse (error, "unknown type " SHOWN, type);
  return belongs (type, source->space) || refuse (error, "unexpected type %s", type);
}

static gboolean
read_time (const MessageSource *source, gint64 *us, GError **error)
{
  const char *text;
  if (!message_header (source, "ce_time", &text, error))
    return FALSE;
  if (text == NULL)
    return TRUE;
  if (!clock_parse (text, us, error)) {
    g_prefix_error (error, "undecodable: ce_time: ");
    return FALSE;
  }
  return *us > 0 || refuse (error, "undecodable: ce_time: nothing happened at %s", text);
}

gboolean
message_version (const char *version, GError **error)
{
  return version == NULL || g_str_equal (version, "1.0")
         || refuse (error, "undecodable: ce_specversion " SHOWN " is not 1.0", version);
}

gboolean
message_identity (const MessageSource *source, MessageDecoded *out, GError **error)
{
  const char *version, *id, *origin;
  if (!message_header (source, "ce_specversion", &version, error)
      || !message_header (source, "ce_id", &id, error)
      || !message_header (source, "ce_source", &origin, error)
      || !read_time (source, &out->ce_time_us, error))
    return FALSE;
  if (!message_version (version, error))
    return FALSE;
  out->ce_id = g_strdup (id);
  out->ce_source = g_strdup (origin);
  return TRUE;
}

/* The framing that a content type stands for. Ignores parameters (`; charset=utf-8`) and case. */
static Framing
promise_of (const char *content_type)
{
  g_autofree char *plain = g_ascii_strdown (content_type, strcspn (content_type, ";"));
  g_strstrip (plain);
  if (g_str_equal (plain, "application/octet-stream"))
    return FRAMING_ANY;
  if (g_str_equal (plain, "application/avro") || g_str_equal (plain, "avro/binary"))
    return FRAMING_AVRO;
  if (g_str_has_prefix (plain, "application/cloudevents"))
    return FRAMING_UNKNOWN; /* structured mode: the type is in the body */
  if (g_str_equal (plain, "application/json")
      || (g_str_has_prefix (plain, "application/") && g_str_has_suffix (plain, "+json")))
    return FRAMING_JSON;
  return FRAMING_UNKNOWN;
}

static Framing
framing_of (const guint8 *value, gsize len)
{
  if (value[0] == 0x00)
    return FRAMING_CONFLUENT;
  if (len >= 2 && value[0] == 0xc3 && value[1] == 0x01)
    return FRAMING_AVRO;
  return value[0] == '{' ? FRAMING_JSON : FRAMING_UNKNOWN;
}

static gboolean
find_framing (const MessageSource *source, Framing *framing, GError **error)
{
  static const char *const names[] = { [FRAMING_AVRO] = "Avro single-object encoding",
                                       [FRAMING_CONFLUENT] = "Confluent wire format",
                                       [FRAMING_JSON] = "JSON" };
  const char *type;
  if (!message_header (source, "content-type", &type, error)
      || (type == NULL && !message_header (source, "ce_datacontenttype", &type, error)))
    return FALSE;
  Framing promised = type != NULL ? promise_of (type) : FRAMING_ANY;
  if (promised == FRAMING_UNKNOWN)
    return refuse (error, "unknown content-type " SHOWN, type);
  *framing = framing_of (source->value, source->value_len);
  if (*framing == FRAMING_UNKNOWN)
    return refuse (error, "undecodable: neither JSON nor Avro, the first byte is %02x",
                   source->value[0]);
  Framing promise_kept = *framing == FRAMING_CONFLUENT ? FRAMING_AVRO : *framing;
  if (promised != FRAMING_ANY && promised != promise_kept)
    return refuse (error, "undecodable: content-type " SHOWN ", but the bytes are %s", type,
                   names[*framing]);
  return *framing != FRAMING_CONFLUENT
         || refuse (
             error,
             "undecodable: no registry configured: the value begins with 00, the frame of a schema registry; send"
             " Avro single-object encoding, or JSON");
}

/* The fingerprint must be exactly that of SCHEMA: the fields of a similar schema can mean something
 * else. */
static gboolean
check_frame (const MessageSource *source, const Schema *schema, gboolean said, GError **error)
{
  guint64 fingerprint;
  if (source->value_len < FRAME_BYTES)
    return refuse (error, "undecodable: the bytes end within the schema's fingerprint");
  memcpy (&fingerprint, source->value + 2, sizeof fingerprint);
  fingerprint = GUINT64_FROM_LE (fingerprint);
  const Schema *written = schema_of_fingerprint (fingerprint);
  if (written == schema)
    return TRUE;
  if (written == NULL)
    return refuse (error, "unknown schema %016" G_GINT64_MODIFIER "x", fingerprint);
  if (!said)
    return refuse (error, "unexpected type %s", written->name);
  return refuse (error, "undecodable: the value is a %s, ce_type says %s", written->name,
                 schema->name);
}

static gboolean
read_content (const MessageSource *source, const Schema *schema, Framing framing,
              MessageDecoded *out, GError **error)
{
  char **args_text = g_str_equal (schema->name, TICK) ? &out->args_text : NULL;
  out->type = g_strdup (schema->name);
  if (framing == FRAMING_JSON)
    out->content
        = decode_json (schema, (const char *)source->value, source->value_len, args_text, error);
  else
    out->content = decode_avro (schema, source->value + FRAME_BYTES,
                                source->value_len - FRAME_BYTES, source->wanted, args_text, error);
  return out->content != NULL;
}

static gboolean
decode (const MessageSource *source, MessageDecoded *out, GError **error)
{
  const Schema *schema = NULL;
  gboolean said = FALSE;
  Framing framing = FRAMING_UNKNOWN;
  if (source->value == NULL || source->value_len == 0)
    return refuse (error, "empty value");
  return find_type (source, &schema, &said, error) && message_identity (source, out, error)
         && find_framing (source, &framing, error)
         && (framing == FRAMING_JSON || check_frame (source, schema, said, error))
         && read_content (source, schema, framing, out, error);
}

char *
message_printable (const char *reason)
{
  GString *out = g_string_new (NULL);
  const char *at = reason;
  while (*at != '\0' && out->len < REASON_BYTES) {
    gunichar c = g_utf8_get_char_validated (at, -1);
    if (c == (gunichar)-1 || c == (gunichar)-2 || !g_unichar_isprint (c)) {
      g_string_append_printf (out, "\\x%02x", (guchar)*at++);
      continue;
    }
    g_string_append_unichar (out, c);
    at = g_utf8_next_char (at);
  }
  if (*at != '\0')
    g_string_append (out, "...");
  return g_string_free (out, FALSE);
}

gboolean
message_decode (const MessageSource *source, MessageDecoded *out, GError **error)
{
  g_autoptr (GError) cause = NULL;
  *out = (MessageDecoded){ NULL };
  if (decode (source, out, &cause))
    return TRUE;
  message_decoded_clear (out);
  g_autofree char *reason = message_printable (cause->message);
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_REJECT, reason);
  return FALSE;
}

void
message_decoded_clear (MessageDecoded *decoded)
{
  json_decref (decoded->content);
  g_free (decoded->type);
  g_free (decoded->args_text);
  g_free (decoded->ce_id);
  g_free (decoded->ce_source);
  *decoded = (MessageDecoded){ NULL };
}
