/* Encodes content, or columns of text, as single-object Avro. Sets the thread's avro-c value field
 * by field, and writes it when it is complete, so that a failure leaves OUT unchanged. */
#include "avro/coder.h"
#include "avro/field.h"
#include "avro/message.h"
#include "base/error.h"
#include <string.h>

static gboolean
fail (GError **error, const char *why)
{
  return error_fatal (error, "%s", why);
}

static gboolean
put_string (avro_value_t *to, const char *text)
{
  coder_must (avro_value_set_string_len (to, (char *)text, strlen (text) + 1));
  return TRUE;
}

static gboolean
put_long (FieldKind kind, avro_value_t *to, gint64 value, GError **error)
{
  gboolean wide = kind == FIELD_LONG || kind == FIELD_TIME;
  if (!wide && (value < G_MININT32 || value > G_MAXINT32))
    return fail (error, "not within 32 bits");
  coder_must (wide ? avro_value_set_long (to, value) : avro_value_set_int (to, value));
  return TRUE;
}

static void
append_long (avro_value_t *to, gint64 value)
{
  avro_value_t item;
  coder_must (avro_value_append (to, &item, NULL));
  coder_must (avro_value_set_long (&item, value));
}

/* Puts a list that is written as in PostgreSQL, {1,2}, or as in JSON. */
static gboolean
put_longs_text (avro_value_t *to, const char *text, GError **error)
{
  gsize len = strlen (text);
  const char *brackets = text[0] == '{' ? "{}" : "[]";
  if (len < 2 || text[0] != brackets[0] || text[len - 1] != brackets[1])
    return fail (error, "not a list like {1,2} or [1,2]");
  g_autofree char *inside = g_strndup (text + 1, len - 2);
  g_auto (GStrv) items = g_strsplit (inside, ",", -1);
  for (guint i = 0; items[i] != NULL; i++) {
    gint64 value;
    if (!field_to_long (FIELD_LONG, items[i], &value, error))
      return FALSE;
    append_long (to, value);
  }
  return TRUE;
}

/* Puts any text. A database that does not check its encoding can return invalid UTF-8; an outcome
 * must not fail because of it. */
static gboolean
put_any_text (avro_value_t *to, const char *text)
{
  if (g_utf8_validate (text, -1, NULL))
    return put_string (to, text);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return put_string (to, valid);
}

static gboolean
put_bool (avro_value_t *to, gboolean value)
{
  coder_must (avro_value_set_boolean (to, value));
  return TRUE;
}

static gboolean
put_text (FieldKind kind, avro_value_t *to, const char *text, GError **error)
{
  gint64 value;
  if (kind <= FIELD_JSON)
    return put_any_text (to, text);
  if (kind == FIELD_LONGS)
    return put_longs_text (to, text, error);
  if (kind == FIELD_BOOL)
    return put_bool (to, *text == 't');
  return field_to_long (kind, text, &value, error) && put_long (kind, to, value, error);
}

static gboolean
put_longs (avro_value_t *to, const json_t *items, GError **error)
{
  gsize i;
  json_t *item;
  json_array_foreach ((json_t *)items, i, item) {
    if (!json_is_integer (item))
      return fail (error, "an item that is no integer");
    append_long (to, json_integer_value (item));
  }
  return TRUE;
}

static gboolean
put_json (FieldKind kind, avro_value_t *to, const json_t *value, GError **error)
{
  if (kind == FIELD_LONGS)
    return json_is_array (value) ? put_longs (to, value, error) : fail (error, "not an array");
  if (kind == FIELD_JSON || kind == FIELD_OBJECT) {
    if (!json_is_object (value) && (kind == FIELD_OBJECT || !json_is_array (value)))
      return fail (error, "not a JSON object");
    g_autofree char *text = json_canonical (value);
    return put_string (to, text);
  }
  if (kind == FIELD_BOOL)
    return json_is_boolean (value) ? put_bool (to, json_is_true (value))
                                   : fail (error, "neither true nor false");
  if (kind == FIELD_INT || kind == FIELD_LONG)
    return json_is_integer (value) ? put_long (kind, to, json_integer_value (value), error)
                                   : fail (error, "not an integer");
  return json_is_string (value) ? put_text (kind, to, json_string_value (value), error)
                                : fail (error, "not a string");
}

/* Selects where a field's value goes: the branch, if the field is a union. */
static void
open_branch (const SchemaField *field, avro_value_t *record, guint index, gboolean is_null,
             avro_value_t *to)
{
  avro_value_t in_record;
  coder_must (avro_value_get_by_index (record, index, &in_record, NULL));
  *to = in_record;
  if (!field->nullable)
    return;
  coder_must (avro_value_set_branch (&in_record, is_null ? 0 : 1, to));
  if (is_null)
    coder_must (avro_value_set_null (to));
}

static gboolean
put_missing (const SchemaField *field, avro_value_t *to, gboolean null_given, GError **error)
{
  if (field->nullable && (null_given || field->has_default))
    return TRUE; /* open_branch has written the null */
  if (field->has_default)
    return put_string (to, field->default_text);
  return fail (error, null_given ? "may not be null" : "is missing");
}

static gboolean
put_content_field (const Schema *schema, guint index, avro_value_t *record, const json_t *content,
                   GError **error)
{
  const SchemaField *field = &schema->fields[index];
  const json_t *value = json_object_get (content, field->name);
  const char *text = json_string_value (value);
  gboolean is_null = value == NULL || json_is_null (value)
                     || (field->kind == FIELD_DATE && text != NULL && field_is_infinite (text));
  avro_value_t to;
  open_branch (field, record, index, is_null, &to);
  if (is_null ? put_missing (field, &to, value != NULL, error)
              : put_json (field->kind, &to, value, error))
    return TRUE;
  field_prefix (error, field);
  return FALSE;
}

static gboolean
put_text_field (const Schema *schema, guint index, avro_value_t *record, const char *text,
                GError **error)
{
  const SchemaField *field = &schema->fields[index];
  gboolean is_null = text == NULL || (field->kind == FIELD_DATE && field_is_infinite (text));
  avro_value_t to;
  open_branch (field, record, index, is_null, &to);
  if (is_null ? put_missing (field, &to, TRUE, error) : put_text (field->kind, &to, text, error))
    return TRUE;
  field_prefix (error, field);
  return FALSE;
}

static void
write_single_object (const Schema *schema, avro_value_t *record, GByteArray *out)
{
  guint8 head[10] = { 0xc3, 0x01 };
  guint64 fingerprint = GUINT64_TO_LE (schema->fingerprint);
  memcpy (head + 2, &fingerprint, sizeof fingerprint);
  g_byte_array_append (out, head, sizeof head);
  coder_write (record, out);
}

/* Data that does not fit is a bug of the caller: makes the error PRUNED_FATAL. */
static gboolean
refuse (const char *type, GError **error)
{
  if (error != NULL && *error != NULL)
    (*error)->code = PRUNED_FATAL;
  g_prefix_error (error, "%s: ", type);
  return FALSE;
}

static gboolean
has_no_other_fields (const Schema *schema, const json_t *content, GError **error)
{
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)content, name, value)
    if (schema_field_index (schema, name, strlen (name)) < 0)
      return error_fatal (error, "unknown field %s", name);
  return TRUE;
}

gboolean
message_encode (const char *type, const json_t *content, GByteArray *out, GError **error)
{
  const Schema *schema = schema_find (type);
  if (schema == NULL)
    return error_fatal (error, "unknown type %s", type);
  if (!has_no_other_fields (schema, content, error))
    return refuse (type, error);
  avro_value_t *record = coder_value (schema);
  for (guint i = 0; i < schema->n_fields; i++)
    if (!put_content_field (schema, i, record, content, error))
      return refuse (type, error);
  write_single_object (schema, record, out);
  return TRUE;
}

gboolean
message_encode_texts (const char *type, const char *const *fields, GByteArray *out, GError **error)
{
  const Schema *schema = schema_find (type);
  if (schema == NULL)
    return error_fatal (error, "unknown type %s", type);
  avro_value_t *record = coder_value (schema);
  for (guint i = 0; i < schema->n_fields; i++)
    if (!put_text_field (schema, i, record, fields[i], error))
      return refuse (type, error);
  write_single_object (schema, record, out);
  return TRUE;
}

/* What is encoded may be any text, because PostgreSQL has checked it. */
static gboolean
is_text_of (const SchemaField *field, const char *text, GError **error)
{
  g_autoptr (json_t) content = field_from_text (field->kind, text, strlen (text), error);
  if (content == NULL)
    field_prefix (error, field);
  return content != NULL;
}

gboolean
message_field_takes (const char *type, const char *field, const char *text, GError **error)
{
  const Schema *schema = schema_find (type);
  const int index = schema != NULL ? schema_field_index (schema, field, strlen (field)) : -1;
  if (index >= 0 && schema->fields[index].kind <= FIELD_JSON)
    return is_text_of (&schema->fields[index], text, error);
  if (index >= 0)
    return put_text_field (schema, (guint)index, coder_value (schema), text, error);
  return error_fatal (error, "unknown field %s of %s", field, type);
}
