#include "avro/decode.h"
#include "avro/field.h"
#include "base/clock.h"
#include "base/error.h"

#include <string.h>

#define FIRST_YEAR "1970"

static json_t *
refuse (const char *why, GError **error)
{
  return error_null (error, PRUNED_REJECT, "%s", why);
}

static json_t *
from_text (const SchemaField *field, json_t *value, char **args_text, GError **error)
{
  const char *text = json_string_value (value);
  gsize len = json_string_length (value);
  if (field->kind == FIELD_STRING)
    return json_incref (value);
  if (args_text == NULL || !g_str_equal (field->name, "args"))
    return field_from_text (field->kind, text, len, error);
  *args_text = json_canonical_text (text, len, error);
  return *args_text != NULL ? field_from_text (field->kind, *args_text, strlen (*args_text), error)
                            : NULL;
}

/* A day or an instant without a text is a number here (shape.h). */
static json_t *
from_date (json_t *value, GError **error)
{
  if (json_is_string (value) && field_date_is_valid (json_string_value (value)))
    return json_incref (value);
  return refuse ("a date outside the years 1 to 9999", error);
}

/* IS_OURS: a text is as clock_format writes it. */
static json_t *
from_time (json_t *value, gboolean is_ours, GError **error)
{
  gint64 us;
  const char *text = json_string_value (value);
  if (json_is_integer (value) || (text != NULL && strcmp (text, FIRST_YEAR) < 0))
    return refuse ("a time outside the years 1970 to 9999", error);
  if (text == NULL)
    return refuse ("not a time", error);
  if (is_ours)
    return json_incref (value);
  return clock_parse (text, &us, error) ? field_from_time (us, error) : NULL;
}

static json_t *
from_number (FieldKind kind, json_t *value, GError **error)
{
  gint64 number = json_integer_value (value);
  if (!json_is_integer (value))
    return refuse ("not an integer", error);
  if (kind == FIELD_INT && (number < G_MININT32 || number > G_MAXINT32))
    return refuse ("not within 32 bits", error);
  return json_incref (value);
}

static json_t *
from_list (json_t *value, GError **error)
{
  gsize i;
  json_t *item;
  if (!json_is_array (value))
    return refuse ("not an array", error);
  json_array_foreach (value, i, item)
    if (!json_is_integer (item))
      return refuse ("an item that is no integer of 64 bits", error);
  return json_incref (value);
}

static json_t *
from_value (const SchemaField *field, json_t *value, gboolean is_ours, char **args_text,
            GError **error)
{
  switch (field->kind) {
  case FIELD_STRING:
  case FIELD_UUID:
  case FIELD_OBJECT:
  case FIELD_JSON:
    return json_is_string (value) ? from_text (field, value, args_text, error)
                                  : refuse ("not a string", error);
  case FIELD_INT:
  case FIELD_LONG:
    return from_number (field->kind, value, error);
  case FIELD_DATE:
    return from_date (value, error);
  case FIELD_TIME:
    return from_time (value, is_ours, error);
  case FIELD_LONGS:
    return from_list (value, error);
  case FIELD_BOOL:
    return json_is_boolean (value) ? json_incref (value) : refuse ("neither true nor false", error);
  }
  g_assert_not_reached ();
}

/* Makes CONTENT, the fields of a datum, what content is. IS_OURS: of a datum of SCHEMA itself.
 * Takes CONTENT. */
static json_t *
convert (const Schema *schema, json_t *content, gboolean is_ours, char **args_text, GError **error)
{
  for (guint i = 0; content != NULL && i < schema->n_fields; i++) {
    const SchemaField *field = &schema->fields[i];
    json_t *from = json_object_get (content, field->name), *value = NULL;
    if (from == NULL) /* not wanted */
      continue;
    value = json_is_null (from) ? field_default (field, error)
                                : from_value (field, from, is_ours, args_text, error);
    if (value == from)
      json_decref (value);
    else if (value != NULL)
      json_object_set_new_nocheck (content, field->name, value);
    else {
      field_prefix (error, field);
      g_clear_pointer (&content, json_decref);
    }
  }
  if (content == NULL)
    g_prefix_error (error, "undecodable: ");
  else if (args_text != NULL && *args_text == NULL)
    *args_text = g_strdup ("{}");
  return content;
}

json_t *
decode_avro (const Schema *schema, const guint8 *bytes, gsize len, const char *const *wanted,
             char **args_text, GError **error)
{
  ShapeNotes notes = { .wanted = wanted };
  json_t *datum = shape_read (schema->shape, bytes, len, &notes, error);
  return convert (schema, datum, TRUE, args_text, error);
}

/* A field that is not there has its default, as one that is null. */
static json_t *
fields_of (const Schema *schema, const json_t *datum, GError **error)
{
  g_autoptr (json_t) content = json_object ();
  for (guint i = 0; i < schema->n_fields; i++) {
    const SchemaField *field = &schema->fields[i];
    json_t *value = json_object_get (datum, field->name);
    if (value == NULL && !field->has_default)
      return error_null (error, PRUNED_REJECT, "missing field %s", field->name);
    json_object_set_new_nocheck (content, field->name,
                                 value != NULL ? json_incref (value) : json_null ());
  }
  return g_steal_pointer (&content);
}

json_t *
decode_datum (const Schema *schema, const json_t *datum, gboolean is_tolerant, char **args_text,
              GError **error)
{
  const char *name;
  json_t *value;
  json_object_foreach ((json_t *)datum, name, value)
    if (!is_tolerant && schema_field_index (schema, name, strlen (name)) < 0)
      return error_null (error, PRUNED_REJECT, "unknown field %.200s", name);
  return convert (schema, fields_of (schema, datum, error), FALSE, args_text, error);
}
