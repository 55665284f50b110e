/* Converts the body to its canonical form first. That check is strict; and in canonical text a
 * member ends where its value ends, so numbers can be copied as written. */
#include "avro/decode.h"
#include "avro/field.h"
#include "avro/members.h"
#include "base/clock.h"
#include "base/error.h"
#include <string.h>

static json_t *
fail (GError **error, const char *why)
{
  return error_null (error, PRUNED_REJECT, "%s", why);
}

/* Finds the value of each field in BODY. */
static gboolean
find_members (const Schema *schema, const char *body, gboolean is_tolerant, Slice *found,
              GError **error)
{
  Slice key, value;
  for (const char *at = members_begin (body); members_next (&at, &key, &value);) {
    int index = schema_field_index (schema, key.text, key.len);
    if (index >= 0)
      found[index] = value;
    else if (!is_tolerant)
      return error_reject (error, "unknown field %.*s", (int)MIN (key.len, 200), key.text);
  }
  return TRUE;
}

static json_t *
from_number (FieldKind kind, Slice slice, GError **error)
{
  gint64 value;
  g_autofree char *digits = g_strndup (slice.text, slice.len);
  return field_to_long (kind, digits, &value, error) ? json_integer (value) : NULL;
}

static json_t *
from_time (const char *text, GError **error)
{
  gint64 us;
  return clock_parse (text, &us, error) ? field_from_time (us, error) : NULL;
}

static json_t *
from_string (FieldKind kind, Slice slice, GError **error)
{
  if (slice.text[0] != '"')
    return fail (error, "not a string");
  g_autoptr (json_t) string = json_parse (slice.text, slice.len, error);
  if (string == NULL)
    return NULL;
  const char *text = json_string_value (string);
  if (kind == FIELD_TIME)
    return from_time (text, error);
  if (kind == FIELD_DATE && !field_date_is_valid (text))
    return fail (error, "not a date like 2026-11-21");
  return field_from_text (kind == FIELD_UUID ? kind : FIELD_STRING, text,
                          json_string_length (string), error);
}

static json_t *
from_array (Slice slice, GError **error)
{
  gsize i;
  json_t *item;
  if (slice.text[0] != '[')
    return fail (error, "not an array");
  g_autoptr (json_t) items = json_parse (slice.text, slice.len, error);
  json_array_foreach (items, i, item)
    if (!json_is_integer (item))
      return fail (error, "an item that is no integer of 64 bits");
  return g_steal_pointer (&items);
}

static json_t *
from_bool (Slice slice, GError **error)
{
  if (slice.len == 4 && memcmp (slice.text, "true", 4) == 0)
    return json_true ();
  if (slice.len == 5 && memcmp (slice.text, "false", 5) == 0)
    return json_false ();
  return fail (error, "neither true nor false");
}

static json_t *
from_slice (FieldKind kind, Slice slice, GError **error)
{
  switch (kind) {
  case FIELD_OBJECT:
  case FIELD_JSON:
    return field_from_text (kind, slice.text, slice.len, error);
  case FIELD_INT:
  case FIELD_LONG:
    return from_number (kind, slice, error);
  case FIELD_LONGS:
    return from_array (slice, error);
  case FIELD_BOOL:
    return from_bool (slice, error);
  default:
    return from_string (kind, slice, error);
  }
}

static json_t *
read_field (const SchemaField *field, Slice slice, GError **error)
{
  gboolean is_null = slice.len == 4 && memcmp (slice.text, "null", 4) == 0;
  json_t *value;
  if (slice.text == NULL && !field->has_default)
    return error_null (error, PRUNED_REJECT, "undecodable: missing field %s", field->name);
  value = slice.text != NULL && !is_null ? from_slice (field->kind, slice, error)
                                         : field_default (field, error);
  if (value == NULL)
    g_prefix_error (error, "undecodable: field %s: ", field->name);
  return value;
}

static void
take_args (const Schema *schema, const Slice *found, char **args_text)
{
  int index = schema_field_index (schema, "args", strlen ("args"));
  Slice args = index >= 0 ? found[index] : (Slice){ NULL, 0 };
  *args_text
      = args.len > 0 && args.text[0] == '{' ? g_strndup (args.text, args.len) : g_strdup ("{}");
}

static json_t *
read_fields (const Schema *schema, const char *body, gboolean is_tolerant, char **args_text,
             GError **error)
{
  g_autofree Slice *found = g_new0 (Slice, schema->n_fields);
  g_autoptr (json_t) content = json_object ();
  if (!find_members (schema, body, is_tolerant, found, error))
    return NULL;
  for (guint i = 0; i < schema->n_fields; i++) {
    json_t *value = read_field (&schema->fields[i], found[i], error);
    if (value == NULL)
      return NULL;
    json_object_set_new_nocheck (content, schema->fields[i].name, value);
  }
  if (args_text != NULL)
    take_args (schema, found, args_text);
  return g_steal_pointer (&content);
}

json_t *
decode_json (const Schema *schema, const char *text, gsize len, gboolean is_tolerant,
             char **args_text, GError **error)
{
  g_autofree char *body = json_canonical_text (text, len, error);
  if (body != NULL)
    return read_fields (schema, body, is_tolerant, args_text, error);
  g_prefix_error (error, "undecodable: ");
  return NULL;
}
