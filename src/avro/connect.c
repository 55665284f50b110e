#include "avro/connect.h"

#include "avro/shape_private.h"

#include <string.h>

#define SCHEMA "schema"
#define PAYLOAD "payload"
#define DECIMAL "org.apache.kafka.connect.data.Decimal"

static json_t *read_value (const json_t *schema, json_t *value, GHashTable *types);

static const char *
text_of (const json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

static json_t *
bytes_of (const json_t *schema, const char *base64)
{
  gsize len = 0;
  gint64 scale = -1;
  const char *name = text_of (schema, "name"),
             *digits = text_of (json_object_get (schema, "parameters"), "scale");
  if (g_strcmp0 (name, DECIMAL) != 0 || digits == NULL
      || !g_ascii_string_to_signed (digits, 10, 0, SCALE_MOST, &scale, NULL))
    return shape_bytes_form ();
  g_autofree guchar *bytes = g_base64_decode (base64, &len);
  g_autofree char *again = g_base64_encode (bytes, len);
  return len > 0 && len <= DECIMAL_BYTES && g_str_equal (again, base64)
             ? shape_decimal_of (bytes, (gint64)len, scale)
             : shape_bytes_form ();
}

static void
read_member (const json_t *schema, json_t *object, const char *name, GHashTable *types)
{
  json_t *value = name != NULL ? json_object_get (object, name) : NULL;
  json_t *known = value != NULL ? read_value (schema, value, types) : NULL;
  if (known != NULL)
    json_object_set_new (object, name, known);
}

static void
read_items (const json_t *schema, json_t *list, GHashTable *types)
{
  const json_t *items = json_object_get (schema, "items");
  for (gsize i = 0; i < json_array_size (list); i++) {
    json_t *known = read_value (items, json_array_get (list, i), types);
    if (known != NULL)
      json_array_set_new (list, i, known);
  }
}

/* What stands in the place of VALUE; NULL: itself. */
static json_t *
read_value (const json_t *schema, json_t *value, GHashTable *types)
{
  const char *type = text_of (schema, "type"), *name = text_of (schema, "name");
  const json_t *fields = json_object_get (schema, "fields");
  if (json_is_object (value))
    for (gsize i = 0; i < json_array_size (fields); i++) {
      const json_t *field = json_array_get (fields, i);
      read_member (field, value, text_of (field, "field"), types);
    }
  else if (json_is_array (value))
    read_items (schema, value, types);
  else if (json_is_string (value) && g_strcmp0 (type, "bytes") == 0)
    return bytes_of (schema, json_string_value (value));
  else if (name != NULL && (json_is_string (value) || json_is_integer (value)))
    g_hash_table_insert (types, value, (gpointer)name);
  return NULL;
}

void
connect_read (json_t *body, GHashTable *types)
{
  const json_t *schema = json_object_get (body, SCHEMA);
  if (json_object_size (body) == 2 && json_is_object (schema))
    read_member (schema, body, PAYLOAD, types);
}
