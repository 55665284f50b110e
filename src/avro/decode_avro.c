#include "avro/coder.h"
#include "avro/decode.h"
#include "avro/field.h"
#include <string.h>

static json_t *
text_value (const SchemaField *field, avro_value_t *from, char **args_text, GError **error)
{
  const char *text;
  size_t size; /* including its NUL */
  coder_must (avro_value_get_string (from, &text, &size));
  if (args_text == NULL || !g_str_equal (field->name, "args"))
    return field_from_text (field->kind, text, size - 1, error);
  *args_text = json_canonical_text (text, size - 1, error);
  return *args_text != NULL ? field_from_text (field->kind, *args_text, strlen (*args_text), error)
                            : NULL;
}

static json_t *
int_value (const SchemaField *field, avro_value_t *from, GError **error)
{
  gint32 value;
  coder_must (avro_value_get_int (from, &value));
  return field_from_long (field->kind, value, error);
}

static json_t *
long_value (const SchemaField *field, avro_value_t *from, GError **error)
{
  gint64 value;
  coder_must (avro_value_get_long (from, &value));
  return field_from_long (field->kind, value, error);
}

static json_t *
longs_value (avro_value_t *from)
{
  json_t *items = json_array ();
  size_t count;
  coder_must (avro_value_get_size (from, &count));
  for (size_t i = 0; i < count; i++) {
    avro_value_t item;
    gint64 value;
    coder_must (avro_value_get_by_index (from, i, &item, NULL));
    coder_must (avro_value_get_long (&item, &value));
    json_array_append_new (items, json_integer (value));
  }
  return items;
}

static json_t *
bool_value (avro_value_t *from)
{
  int value;
  coder_must (avro_value_get_boolean (from, &value));
  return json_boolean (value);
}

static json_t *
field_value (const SchemaField *field, avro_value_t *from, char **args_text, GError **error)
{
  switch (field->kind) {
  case FIELD_STRING:
  case FIELD_UUID:
  case FIELD_JSON:
    return text_value (field, from, args_text, error);
  case FIELD_INT:
  case FIELD_DATE:
    return int_value (field, from, error);
  case FIELD_LONG:
  case FIELD_TIME:
    return long_value (field, from, error);
  case FIELD_LONGS:
    return longs_value (from);
  case FIELD_BOOL:
    return bool_value (from);
  }
  g_assert_not_reached ();
}

static json_t *
field_or_null (const SchemaField *field, avro_value_t *from, char **args_text, GError **error)
{
  int branch;
  avro_value_t inner;
  if (!field->nullable)
    return field_value (field, from, args_text, error);
  coder_must (avro_value_get_discriminant (from, &branch));
  if (branch == 0)
    return json_null ();
  coder_must (avro_value_get_current_branch (from, &inner));
  return field_value (field, &inner, args_text, error);
}

static json_t *
read_record (const Schema *schema, avro_value_t *record, const char *const *wanted,
             char **args_text, GError **error)
{
  g_autoptr (json_t) content = json_object ();
  for (guint i = 0; i < schema->n_fields; i++) {
    const SchemaField *field = &schema->fields[i];
    if (wanted != NULL && !g_strv_contains (wanted, field->name))
      continue;
    avro_value_t from;
    coder_must (avro_value_get_by_index (record, i, &from, NULL));
    json_t *value = field_or_null (field, &from, args_text, error);
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
  avro_value_t *record = coder_read (schema, bytes, len, error);
  json_t *content = record != NULL ? read_record (schema, record, wanted, args_text, error) : NULL;
  if (content == NULL)
    g_prefix_error (error, "undecodable: ");
  return content;
}
