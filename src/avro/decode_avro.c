#include "avro/decode.h"
#include "avro/field.h"
#include "avro/shape.h"
#include "base/error.h"
#include <string.h>

#define FIRST_TIME "1970" /* a time before it is no time of a message */

static json_t *
refuse (const char *why, GError **error)
{
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_REJECT, why);
  return NULL;
}

static json_t *
from_text (const SchemaField *field, const json_t *value, char **args_text, GError **error)
{
  const char *text = json_string_value (value);
  gsize len = json_string_length (value);
  if (args_text == NULL || !g_str_equal (field->name, "args"))
    return field_from_text (field->kind, text, len, error);
  *args_text = json_canonical_text (text, len, error);
  return *args_text != NULL ? field_from_text (field->kind, *args_text, strlen (*args_text), error)
                            : NULL;
}

/* What a value of a datum is in a message: some texts are more than a text, and a date or a time
 * without a text is refused. */
static json_t *
content_of (const SchemaField *field, json_t *value, char **args_text, GError **error)
{
  if (!json_is_null (value) && (field->kind == FIELD_UUID || field->kind == FIELD_JSON))
    return from_text (field, value, args_text, error);
  if (field->kind == FIELD_DATE && json_is_integer (value))
    return refuse ("a date outside the years 1 to 9999", error);
  if (field->kind == FIELD_TIME && !json_is_null (value)
      && g_strcmp0 (json_string_value (value), FIRST_TIME) < 0)
    return refuse ("a time outside the years 1970 to 9999", error);
  return json_incref (value);
}

static json_t *
content_of_record (const Schema *schema, const json_t *record, const char *const *wanted,
                   char **args_text, GError **error)
{
  g_autoptr (json_t) content = json_object ();
  for (guint i = 0; i < schema->n_fields; i++) {
    const SchemaField *field = &schema->fields[i];
    if (wanted != NULL && !g_strv_contains (wanted, field->name))
      continue;
    json_t *value = content_of (field, json_object_get (record, field->name), args_text, error);
    if (value == NULL) {
      field_prefix (error, field);
      return NULL;
    }
    json_object_set_new_nocheck (content, field->name, value);
  }
  return g_steal_pointer (&content);
}

json_t *
decode_avro (const Schema *schema, const guint8 *bytes, gsize len, const char *const *wanted,
             char **args_text, GError **error)
{
  g_autoptr (json_t) record = shape_read (schema->shape, bytes, len, NULL, error);
  json_t *content
      = record != NULL ? content_of_record (schema, record, wanted, args_text, error) : NULL;
  if (content == NULL)
    g_prefix_error (error, "undecodable: ");
  return content;
}
