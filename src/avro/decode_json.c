/* Converts the body to its canonical form first. That check is strict; and in canonical text a
 * member ends where its value ends, so numbers can be copied as written. */
#include "avro/decode.h"
#include "avro/field.h"
#include "base/clock.h"
#include "base/error.h"
#include <string.h>

typedef struct {
  const char *text; /* NULL: missing */
  gsize len;
} Slice;

static json_t *
fail (GError **error, const char *why)
{
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_REJECT, why);
  return NULL;
}

/* The end of the string that begins at AT. */
static const char *
string_end (const char *at)
{
  for (at++; *at != '"'; at++)
    at += *at == '\\';
  return at + 1;
}

/* The end of the value that begins at AT. */
static const char *
value_end (const char *at)
{
  int depth = 0;
  do {
    if (*at == '"') {
      at = string_end (at);
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
  } while (depth > 0 || strchr (",}]", *at) == NULL);
  return at;
}

/* Finds the value of each field in BODY. */
static gboolean
find_members (const Schema *schema, const char *body, Slice *found, GError **error)
{
  for (const char *at = body + 1; *at != '}';) {
    const char *key = at + 1, *value = string_end (at) + 1;
    gsize key_len = value - key - 2;
    const char *end = value_end (value);
    int index = schema_field_index (schema, key, key_len);
    if (index < 0) {
      g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "unknown field %.*s",
                   (int)MIN (key_len, 200), key);
      return FALSE;
    }
    found[index] = (Slice){ value, end - value };
    at = end + (*end == ',');
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
  if (slice.text == NULL && !field->has_default) {
    g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "undecodable: missing field %s", field->name);
    return NULL;
  }
  if (slice.text != NULL && !is_null)
    value = from_slice (field->kind, slice, error);
  else if (field->nullable)
    value = json_null ();
  else if (field->default_text != NULL)
    value = field_from_text (field->kind, field->default_text, strlen (field->default_text), error);
  else
    value = fail (error, "may not be null");
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
read_fields (const Schema *schema, const char *body, char **args_text, GError **error)
{
  g_autofree Slice *found = g_new0 (Slice, schema->n_fields);
  g_autoptr (json_t) content = json_object ();
  if (!find_members (schema, body, found, error))
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
decode_json (const Schema *schema, const char *text, gsize len, char **args_text, GError **error)
{
  g_autofree char *body = json_canonical_text (text, len, error);
  if (body != NULL)
    return read_fields (schema, body, args_text, error);
  g_prefix_error (error, "undecodable: ");
  return NULL;
}
