/* Checks the headers and the first bytes of a value before its content is read. The order of the
 * checks is the order in which the reasons help a producer: is there a value, which type, which
 * form, which fields. */
#include "avro/decode.h"
#include "avro/message.h"
#include "avro/registry.h"
#include "avro/structured.h"
#include "base/error.h"

#include <string.h>

#define TICK "pruned.Tick"
#define EVENTS "pruned.events."
#define FRAME_BYTES 10   /* C3 01, then the fingerprint */
#define REGISTRY_BYTES 5 /* 00, then the number of a schema of the registry */
#define SHOWN "%.200s"   /* for text that a producer sent */
#define BLANKS " \t\r\n"

typedef enum {
  FRAMING_ANY,
  FRAMING_AVRO,
  FRAMING_CONFLUENT,
  FRAMING_JSON,
  FRAMING_UNKNOWN
} Framing;

/* A message on its way to content. */
typedef struct {
  const MessageSource *source;
  const char *nothing;  /* why it is refused if it has no value */
  const Schema *schema; /* what it is */
  gboolean is_said;     /* a header named it */
  json_t *datum;        /* of a value in the frame of a registry; NULL: not read */
  const char *record;   /* the full name of the datum's record, borrowed */
} Received;

/* --- the framing --- */

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
    return FRAMING_UNKNOWN; /* not one that structured.c opens */
  if (g_str_equal (plain, "application/json")
      || (g_str_has_prefix (plain, "application/") && g_str_has_suffix (plain, "+json")))
    return FRAMING_JSON;
  return FRAMING_UNKNOWN;
}

static Framing
framing_of (const MessageSource *source)
{
  const guint8 *value = source->value;
  gsize blanks = 0;
  if (value[0] == 0x00)
    return FRAMING_CONFLUENT;
  if (source->value_len >= 2 && value[0] == 0xc3 && value[1] == 0x01)
    return FRAMING_AVRO;
  while (blanks < source->value_len && strchr (BLANKS, value[blanks]) != NULL)
    blanks++;
  return blanks < source->value_len && value[blanks] == '{' ? FRAMING_JSON : FRAMING_UNKNOWN;
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
    return error_reject (error, "unknown content-type " SHOWN, type);
  *framing = framing_of (source);
  if (*framing == FRAMING_UNKNOWN)
    return error_reject (error, "undecodable: neither JSON nor Avro, the first byte is %02x",
                         source->value[0]);
  Framing promise_kept = *framing == FRAMING_CONFLUENT ? FRAMING_AVRO : *framing;
  return promised == FRAMING_ANY || promised == promise_kept
         || error_reject (error, "undecodable: content-type " SHOWN ", but the bytes are %s", type,
                          names[*framing]);
}

/* The number of the schema of a value in the frame of a registry. */
static gboolean
schema_number (const MessageSource *source, guint32 *id, GError **error)
{
  if (!source->is_registered)
    return error_reject (error, "undecodable: the frame of a schema registry is not read here");
  if (source->value_len < REGISTRY_BYTES)
    return error_reject (error, "undecodable: the bytes end within the number of the schema");
  memcpy (id, source->value + 1, sizeof *id);
  *id = GUINT32_FROM_BE (*id);
  return TRUE;
}

/* The fingerprint must be exactly that of the schema: the fields of a similar schema can mean
 * something else. */
static gboolean
check_frame (const Received *received, GError **error)
{
  guint64 fingerprint;
  const MessageSource *source = received->source;
  if (source->value_len < FRAME_BYTES)
    return error_reject (error, "undecodable: the bytes end within the schema's fingerprint");
  memcpy (&fingerprint, source->value + 2, sizeof fingerprint);
  fingerprint = GUINT64_FROM_LE (fingerprint);
  const Schema *written = schema_of_fingerprint (fingerprint);
  if (written == received->schema)
    return TRUE;
  if (written == NULL)
    return error_reject (error, "unknown schema %016" G_GINT64_MODIFIER "x", fingerprint);
  if (!received->is_said)
    return error_reject (error, "unexpected type %s", written->name);
  return error_reject (error, "undecodable: the value is a %s, ce_type says %s", written->name,
                       received->schema->name);
}

static gboolean
read_registered (Received *received, GError **error)
{
  guint32 id = 0;
  const MessageSource *source = received->source;
  if (received->datum != NULL)
    return TRUE;
  const Shape *shape = schema_number (source, &id, error) ? registry_shape (id, error) : NULL;
  if (shape == NULL)
    return FALSE;
  ShapeNotes notes = { NULL };
  received->datum = shape_read (shape, source->value + REGISTRY_BYTES,
                                source->value_len - REGISTRY_BYTES, &notes, error);
  received->record = notes.record;
  if (received->datum == NULL)
    g_prefix_error (error, "undecodable: ");
  else if (received->record == NULL)
    error_reject (error, "undecodable: the value is no record");
  return received->record != NULL;
}

/* --- the type --- */

static gboolean
belongs (const char *type, const char *space)
{
  return g_str_has_suffix (space, ".") ? g_str_has_prefix (type, space) : g_str_equal (type, space);
}

/* What follows the last dot. */
static const char *
last_name (const char *type)
{
  const char *dot = strrchr (type, '.');
  return dot != NULL ? dot + 1 : type;
}

/* The schema with the full name TYPE, or of those of SPACE the one with this last name. */
static const Schema *
find_schema (const char *type, const char *space)
{
  const Schema *schema = schema_find (type);
  if (schema != NULL || strchr (type, '.') != NULL)
    return schema;
  for (const char *const *name = records_names (); *name != NULL; name++)
    if (belongs (*name, space) && g_str_equal (last_name (*name), type))
      return schema_find (*name);
  return NULL;
}

/* By the header, else by the topic, or by the record in the frame of a registry. */
static gboolean
find_type (Received *received, GError **error)
{
  const char *type;
  const MessageSource *source = received->source;
  if (!message_header (source, "ce_type", &type, error))
    return FALSE;
  received->is_said = type != NULL;
  if (type == NULL && source->is_registered && source->value_len > 0
      && framing_of (source) == FRAMING_CONFLUENT) {
    if (!read_registered (received, error))
      return FALSE;
    type = received->record;
  }
  if (type == NULL)
    type = source->type;
  if (type == NULL)
    return error_reject (error, "missing header ce_type");
  g_autofree char *plain = g_strndup (type, message_type_len (type));
  received->schema = find_schema (plain, source->space);
  if (received->schema == NULL)
    return error_reject (error, "unknown type " SHOWN, type);
  return belongs (received->schema->name, source->space)
         || error_reject (error, "unexpected type %s", type);
}

/* --- the content --- */

/* A record of another namespace is taken if the header says what it is. */
static gboolean
read_datum (Received *received, gboolean is_tolerant, MessageDecoded *out, GError **error)
{
  const Schema *schema = received->schema;
  if (!read_registered (received, error))
    return FALSE;
  if (!g_str_equal (last_name (received->record), last_name (schema->name)))
    return error_reject (error, "undecodable: the value is a " SHOWN ", ce_type says %s",
                         received->record, schema->name);
  char **args_text = g_str_equal (schema->name, TICK) ? &out->args_text : NULL;
  out->content = decode_datum (schema, received->datum, is_tolerant, args_text, error);
  return out->content != NULL;
}

/* An unknown field of an event is one that a producer knows and we do not need; of a tick it can
 * be the limit that somebody believes to have set. */
static gboolean
read_content (Received *received, Framing framing, MessageDecoded *out, GError **error)
{
  const Schema *schema = received->schema;
  const MessageSource *source = received->source;
  const char *text = (const char *)source->value;
  gboolean is_tolerant = g_str_has_prefix (schema->name, EVENTS);
  char **args_text = g_str_equal (schema->name, TICK) ? &out->args_text : NULL;
  if (framing == FRAMING_CONFLUENT)
    return read_datum (received, is_tolerant, out, error);
  if (framing == FRAMING_JSON)
    out->content = decode_json (schema, text, source->value_len, is_tolerant, args_text, error);
  else if (check_frame (received, error))
    out->content = decode_avro (schema, source->value + FRAME_BYTES,
                                source->value_len - FRAME_BYTES, source->wanted, args_text, error);
  return out->content != NULL;
}

/* A record without fields needs no value. */
static gboolean
read_without_value (Received *received, MessageDecoded *out, GError **error)
{
  if (!find_type (received, NULL) || received->schema->n_fields > 0)
    return error_reject (error, "%s", received->nothing);
  out->content = json_object ();
  return message_identity (received->source, out, error);
}

static gboolean
decode_binary (Received *received, MessageDecoded *out, GError **error)
{
  Framing framing = FRAMING_UNKNOWN;
  const MessageSource *source = received->source;
  gboolean ok = source->value == NULL || source->value_len == 0
                    ? read_without_value (received, out, error)
                    : find_type (received, error) && message_identity (source, out, error)
                          && find_framing (source, &framing, error)
                          && read_content (received, framing, out, error);
  if (ok)
    out->type = g_strdup (received->schema->name);
  json_decref (received->datum);
  return ok;
}

static gboolean
decode (const MessageSource *source, MessageDecoded *out, GError **error)
{
  Structured opened;
  gboolean is_structured;
  if (!structured_open (&opened, source, &is_structured, error))
    return FALSE;
  Received received = { .source = is_structured ? &opened.source : source,
                        .nothing = is_structured ? "undecodable: data is missing" : "empty value" };
  gboolean ok = decode_binary (&received, out, error);
  structured_clear (&opened);
  return ok;
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
  return error_set (error, cause->code, "%s", reason);
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
