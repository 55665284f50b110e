#include "engine/job/sentence/own_event.h"

#include "avro/connect.h"
#include "avro/registry.h"
#include "base/clock.h"

#include <string.h>

#define REGISTRY_BYTES 5     /* 00, then the number of a schema of the registry */
#define FINGERPRINT_BYTES 10 /* C3 01, then the fingerprint of a schema */
#define STRUCTURED "application/cloudevents"

/* --- the body --- */

const json_t *
own_event_find (const json_t *body, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, ".", -1);
  for (char **name = names; *name != NULL && body != NULL; name++) {
    guint64 index = 0;
    if (json_is_object (body))
      body = json_object_get (body, *name);
    else if (json_is_array (body)
             && g_ascii_string_to_unsigned (*name, 10, 0, G_MAXINT32, &index, NULL))
      body = json_array_get (body, index);
    else
      body = NULL;
  }
  return body;
}

static void
read_json (OwnEvent *own)
{
  const char *text = (const char *)own->source->value;
  gsize len = own->source->value_len;
  if (len > REGISTRY_BYTES && text[0] == '\0') {
    text += REGISTRY_BYTES;
    len -= REGISTRY_BYTES;
  }
  own->json.body = json_parse_digits (text, len, &own->json.unreadable);
  own->json.types = g_hash_table_new (NULL, NULL);
  if (own->json.body == NULL)
    g_prefix_error (&own->json.unreadable, "undecodable: ");
  else
    connect_read (own->json.body, own->json.types);
}

static json_t *
read_datum (const Shape *schema, const guint8 *bytes, gsize len, ShapeNotes *notes, GError **error)
{
  json_t *body = shape_read (schema, bytes, len, notes, error);
  if (body == NULL)
    g_prefix_error (error, "undecodable: ");
  return body;
}

static json_t *
read_registered (const MessageSource *source, ShapeNotes *notes, GError **error)
{
  guint32 id;
  if (source->value[0] != '\0' || source->value_len < REGISTRY_BYTES) {
    error_reject (error, "undecodable: not in the frame of a schema registry, 00 and four bytes");
    return NULL;
  }
  memcpy (&id, source->value + 1, sizeof id);
  const Shape *schema = registry_shape (GUINT32_FROM_BE (id), error);
  return schema != NULL ? read_datum (schema, source->value + REGISTRY_BYTES,
                                      source->value_len - REGISTRY_BYTES, notes, error)
                        : NULL;
}

/* A datum of the file's schema: alone, behind the frame of a registry, or behind the schema's
 * fingerprint. Which one it is must be beyond doubt: what is read decides which row goes. */
static json_t *
read_of_file (const MessageSource *source, const Shape *schema, ShapeNotes *notes, GError **error)
{
  guint64 fingerprint;
  GError *cause = NULL;
  const guint8 *value = source->value;
  gsize len = source->value_len;
  if (len >= FINGERPRINT_BYTES && value[0] == 0xc3 && value[1] == 0x01) {
    memcpy (&fingerprint, value + 2, sizeof fingerprint);
    if (GUINT64_FROM_LE (fingerprint) == shape_fingerprint (schema))
      return read_datum (schema, value + FINGERPRINT_BYTES, len - FINGERPRINT_BYTES, notes, error);
  }
  g_autoptr (json_t) plain = shape_read (schema, value, len, notes, &cause),
                     framed
                     = len >= REGISTRY_BYTES && value[0] == '\0'
                           ? shape_read (schema, value + REGISTRY_BYTES, len - REGISTRY_BYTES,
                                         plain == NULL ? notes : NULL, NULL)
                           : NULL;
  if (plain != NULL && framed != NULL)
    error_reject (error, "undecodable: it can be read with and without the frame of a registry");
  else if (plain == NULL && framed == NULL)
    error_reject (error, "undecodable: %s", cause->message);
  g_clear_error (&cause);
  if (plain != NULL && framed != NULL)
    return NULL;
  return plain != NULL ? g_steal_pointer (&plain) : g_steal_pointer (&framed);
}

static void
body_clear (OwnBody *body)
{
  g_clear_pointer (&body->body, json_decref);
  g_clear_pointer (&body->types, g_hash_table_unref);
  g_clear_error (&body->unreadable);
  body->is_read = FALSE;
}

static void
read_avro (OwnEvent *own, const Shape *schema)
{
  ShapeNotes notes = { .types = g_hash_table_new (NULL, NULL) };
  own->schema = schema;
  own->avro.types = notes.types;
  own->avro.body = schema != NULL
                       ? read_of_file (own->source, schema, &notes, &own->avro.unreadable)
                       : read_registered (own->source, &notes, &own->avro.unreadable);
  own->record = notes.record;
}

const json_t *
own_event_body (OwnEvent *own, const SentenceEvent *event, GError **error)
{
  gboolean is_avro = event->format == EVENT_AVRO;
  OwnBody *body = is_avro ? &own->avro : &own->json;
  if (is_avro && own->schema != event->schema)
    body_clear (body);
  if (own->source->value == NULL || own->source->value_len == 0) {
    error_reject (error, "undecodable: empty value");
    return NULL;
  }
  if (!body->is_read && is_avro)
    read_avro (own, event->schema);
  else if (!body->is_read)
    read_json (own);
  body->is_read = TRUE;
  if (body->body == NULL)
    g_propagate_error (error, g_error_copy (body->unreadable));
  return body->body;
}

static const char *
attribute (const OwnEvent *own, const char *name)
{
  return json_string_value (json_object_get (own->json.body, name));
}

/* The header ce_NAME of a CloudEvent in structured mode says what the attribute says. */
static gboolean
agrees (const OwnEvent *own, const char *name, GError **error)
{
  const char *text, *said = attribute (own, name);
  g_autofree char *header = g_strconcat (OWN_EVENT_CE, name, NULL);
  if (!message_header (own->source, header, &text, error))
    return FALSE;
  return text == NULL || said == NULL || g_str_equal (text, said)
         || error_reject (error, "undecodable: header %s is another one than %s in the value",
                          header, name);
}

/* A CloudEvent in structured mode has its type in the value. Without a type it cannot be told which
 * event the message is. */
static gboolean
read_structured (OwnEvent *own, GError **error)
{
  if (own->source->value_len == 0)
    return TRUE;
  read_json (own);
  own->json.is_read = TRUE;
  if (own->json.body == NULL) {
    g_propagate_error (error, g_error_copy (own->json.unreadable));
    return FALSE;
  }
  if (!agrees (own, "type", error))
    return FALSE;
  if (attribute (own, "type") != NULL) {
    g_free (own->type);
    own->type = g_strdup (attribute (own, "type"));
  }
  return own->type != NULL || error_reject (error, "undecodable: type is missing");
}

/* `application/cloudevents+json; charset=utf-8`, in any case. */
static char *
media_of (const char *content_type)
{
  const char *text = content_type != NULL ? content_type : "";
  text += strspn (text, " \t");
  return g_ascii_strdown (text, (gssize)strcspn (text, "; \t"));
}

static gboolean
read_type (OwnEvent *own, GError **error)
{
  const char *content_type, *type;
  if (!message_header (own->source, "content-type", &content_type, error)
      || !message_header (own->source, OWN_EVENT_CE "type", &type, error))
    return FALSE;
  g_autofree char *media = media_of (content_type);
  const gboolean is_json
      = g_str_equal (media, STRUCTURED) || g_str_equal (media, STRUCTURED "+json");
  own->type = g_strdup (type);
  own->is_whole = is_json;
  if (type == NULL && !is_json && g_str_has_prefix (media, STRUCTURED))
    return error_reject (error, "undecodable: content-type %s: only " STRUCTURED "+json is read",
                         media);
  return !is_json || read_structured (own, error);
}

gboolean
own_event_open (OwnEvent *own, const MessageSource *source, GError **error)
{
  *own = (OwnEvent){ .source = source };
  if (read_type (own, error))
    return TRUE;
  own_event_clear (own);
  return FALSE;
}

void
own_event_clear (OwnEvent *own)
{
  body_clear (&own->json);
  body_clear (&own->avro);
  g_clear_pointer (&own->type, g_free);
}

gboolean
own_event_type_is (const char *type, const char *name)
{
  gsize len = strlen (name), ends[] = { strlen (type), message_type_len (type) };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (ends[i] >= len && strncmp (type + ends[i] - len, name, len) == 0
        && (ends[i] == len || type[ends[i] - len - 1] == '.'))
      return TRUE;
  return FALSE;
}

char *
own_event_text (const json_t *value)
{
  if (json_is_string (value))
    return g_strdup (json_string_value (value));
  return json_is_integer (value) || json_is_boolean (value) ? json_text (value) : NULL;
}

/* --- what it says --- */

static char *
part_of (const json_t *body, const char *word, const char *path, GError **error)
{
  const json_t *value = own_event_find (body, path);
  if (value == NULL)
    error_reject (error, "undecodable: %s %s is missing", word, path);
  else if (json_is_null (value))
    error_reject (error, "undecodable: %s %s is null", word, path);
  else if (shape_is_bytes (value))
    error_reject (error, "undecodable: %s %s is bytes, not a value", word, path);
  else if (json_is_object (value) || json_is_array (value))
    error_reject (error, "undecodable: %s %s is an %s, not a value", word, path,
                  json_is_object (value) ? "object" : "array");
  else
    return own_event_text (value);
  return NULL;
}

static gboolean
is_blank (const char *text)
{
  return text[strspn (text, " \t\r\n")] == '\0';
}

/* Rows of which nobody knows whose they are have such a text in common. */
static gboolean
may_name_rows (const SentenceEvent *event, const char *path, const char *text, GError **error)
{
  return event->columns == NULL || !is_blank (text)
         || error_reject (error, "undecodable: key %s is empty", path);
}

char **
own_event_key (OwnEvent *own, const SentenceEvent *event, GError **error)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  const json_t *body = own_event_body (own, event, error);
  if (body == NULL)
    return NULL;
  for (char **path = event->key; *path != NULL; path++) {
    g_autofree char *part = part_of (body, "key", *path, error);
    if (part == NULL || !may_name_rows (event, *path, part, error))
      return NULL;
    g_strv_builder_add (parts, part);
  }
  return g_strv_builder_end (parts);
}

gboolean
own_event_header (const OwnEvent *own, const char *name, const char **text, GError **error)
{
  if (!message_header (own->source, name, text, error))
    return FALSE;
  if (*text == NULL && own->is_whole && g_str_has_prefix (name, OWN_EVENT_CE))
    *text = json_string_value (json_object_get (own->json.body, name + strlen (OWN_EVENT_CE)));
  return TRUE;
}

static gboolean
identity_of_headers (const OwnEvent *own, MessageDecoded *out, GError **error)
{
  if (!own->is_whole)
    return message_identity (own->source, out, error);
  const json_t *version = json_object_get (own->json.body, "specversion");
  g_autofree char *written
      = version != NULL && !json_is_string (version) ? json_text (version) : NULL;
  if (!message_version (written != NULL ? written : json_string_value (version), error))
    return FALSE;
  const char *id, *origin, *time;
  if (!agrees (own, "id", error) || !agrees (own, "source", error) || !agrees (own, "time", error)
      || !own_event_header (own, OWN_EVENT_CE "id", &id, error)
      || !own_event_header (own, OWN_EVENT_CE "source", &origin, error)
      || !own_event_header (own, OWN_EVENT_CE "time", &time, error))
    return FALSE;
  if (time != NULL && !clock_parse (time, &out->ce_time_us, error)) {
    g_prefix_error (error, "undecodable: time: ");
    return FALSE;
  }
  out->ce_id = id != NULL && *id != '\0' ? g_strdup (id) : NULL;
  out->ce_source = origin != NULL && *origin != '\0' ? g_strdup (origin) : NULL;
  return TRUE;
}

gboolean
own_event_identity (OwnEvent *own, const SentenceEvent *event, MessageDecoded *out, GError **error)
{
  *out = (MessageDecoded){ NULL };
  if (!identity_of_headers (own, out, error))
    return FALSE;
  if (out->ce_id != NULL || event->id == NULL)
    return TRUE;
  const json_t *body = own_event_body (own, event, error);
  out->ce_id = body != NULL ? part_of (body, "id", event->id, error) : NULL;
  out->id_is_plain = out->id_is_of_value = TRUE;
  return out->ce_id != NULL;
}
