#include "avro/canonical.h"
#include "base/error.h"
#include <string.h>

#define EMPTY_FINGERPRINT G_GUINT64_CONSTANT (0xc15d213aa4d7a795)

static gboolean append_schema (GString *out, const json_t *schema, const char *space,
                               GError **error);

static gboolean
fail (GError **error, const char *why)
{
  return error_reject (error, "not an Avro schema: %s", why);
}

static gboolean
is_primitive (const char *name)
{
  static const char *const primitives[]
      = { "null", "boolean", "int", "long", "float", "double", "bytes", "string", NULL };
  return g_strv_contains (primitives, name);
}

/* A name with a dot is a full name; SPACE is the enclosing namespace. */
static char *
full_name (const char *name, const char *space)
{
  if (space[0] == '\0' || strchr (name, '.') != NULL)
    return g_strdup (name);
  return g_strconcat (space, ".", name, NULL);
}

static char *
space_of (const char *name)
{
  const char *dot = strrchr (name, '.');
  return dot != NULL ? g_strndup (name, dot - name) : g_strdup ("");
}

static void
append_quoted (GString *out, const char *text)
{
  json_append_quoted (out, text, strlen (text));
}

/* Appends a primitive type, or the name of a schema defined elsewhere. */
static void
append_name (GString *out, const char *name, const char *space)
{
  g_autofree char *full = is_primitive (name) ? g_strdup (name) : full_name (name, space);
  append_quoted (out, full);
}

static gboolean
append_each (GString *out, const json_t *schemas, const char *space, GError **error)
{
  gsize i;
  json_t *schema;
  g_string_append_c (out, '[');
  json_array_foreach ((json_t *)schemas, i, schema) {
    if (i > 0)
      g_string_append_c (out, ',');
    if (!append_schema (out, schema, space, error))
      return FALSE;
  }
  g_string_append_c (out, ']');
  return TRUE;
}

static gboolean
append_field (GString *out, const json_t *field, const char *space, GError **error)
{
  const char *name = json_string_value (json_object_get (field, "name"));
  if (name == NULL)
    return fail (error, "a field without name");
  g_string_append (out, "{\"name\":");
  append_quoted (out, name);
  g_string_append (out, ",\"type\":");
  if (!append_schema (out, json_object_get (field, "type"), space, error))
    return FALSE;
  g_string_append_c (out, '}');
  return TRUE;
}

static gboolean
append_fields (GString *out, const json_t *fields, const char *space, GError **error)
{
  gsize i;
  json_t *field;
  if (!json_is_array (fields))
    return fail (error, "a record without fields");
  g_string_append (out, ",\"fields\":[");
  json_array_foreach ((json_t *)fields, i, field) {
    if (i > 0)
      g_string_append_c (out, ',');
    if (!append_field (out, field, space, error))
      return FALSE;
  }
  g_string_append_c (out, ']');
  return TRUE;
}

static gboolean
append_symbols (GString *out, const json_t *symbols, GError **error)
{
  gsize i;
  json_t *symbol;
  if (!json_is_array (symbols))
    return fail (error, "an enum without symbols");
  g_string_append (out, ",\"symbols\":[");
  json_array_foreach ((json_t *)symbols, i, symbol) {
    if (!json_is_string (symbol))
      return fail (error, "a symbol that is no string");
    if (i > 0)
      g_string_append_c (out, ',');
    append_quoted (out, json_string_value (symbol));
  }
  g_string_append_c (out, ']');
  return TRUE;
}

static gboolean
append_size (GString *out, const json_t *size, GError **error)
{
  if (!json_is_integer (size))
    return fail (error, "a fixed without size");
  g_string_append_printf (out, ",\"size\":%" JSON_INTEGER_FORMAT, json_integer_value (size));
  return TRUE;
}

/* Appends a record, enum or fixed: it has a name, and its content inherits the namespace. */
static gboolean
append_named (GString *out, const json_t *schema, const char *type, const char *space,
              GError **error)
{
  const char *name = json_string_value (json_object_get (schema, "name"));
  const char *own_space = json_string_value (json_object_get (schema, "namespace"));
  if (name == NULL)
    return fail (error, "a record, enum or fixed without name");
  g_autofree char *full = full_name (name, own_space != NULL ? own_space : space);
  g_autofree char *inner = space_of (full);
  g_string_append (out, "{\"name\":");
  append_quoted (out, full);
  g_string_append (out, ",\"type\":");
  append_quoted (out, type);
  gboolean ok;
  if (g_str_equal (type, "enum"))
    ok = append_symbols (out, json_object_get (schema, "symbols"), error);
  else if (g_str_equal (type, "fixed"))
    ok = append_size (out, json_object_get (schema, "size"), error);
  else
    ok = append_fields (out, json_object_get (schema, "fields"), inner, error);
  g_string_append_c (out, '}');
  return ok;
}

/* Appends an array or a map. */
static gboolean
append_container (GString *out, const json_t *schema, const char *type, const char *space,
                  GError **error)
{
  const char *key = g_str_equal (type, "array") ? "items" : "values";
  g_string_append_printf (out, "{\"type\":\"%s\",\"%s\":", type, key);
  if (!append_schema (out, json_object_get (schema, key), space, error))
    return FALSE;
  g_string_append_c (out, '}');
  return TRUE;
}

static gboolean
append_object (GString *out, const json_t *schema, const char *space, GError **error)
{
  static const char *const named[] = { "record", "error", "enum", "fixed", NULL };
  static const char *const containers[] = { "array", "map", NULL };
  const json_t *type = json_object_get (schema, "type");
  const char *name = json_string_value (type);
  if (name == NULL) /* {"type": {...}} is the inner schema */
    return append_schema (out, type, space, error);
  if (g_strv_contains (named, name))
    return append_named (out, schema, name, space, error);
  if (g_strv_contains (containers, name))
    return append_container (out, schema, name, space, error);
  append_name (out, name, space);
  return TRUE;
}

static gboolean
append_schema (GString *out, const json_t *schema, const char *space, GError **error)
{
  if (json_is_object (schema))
    return append_object (out, schema, space, error);
  if (json_is_array (schema))
    return append_each (out, schema, space, error);
  if (!json_is_string (schema))
    return fail (error, "a type is missing");
  append_name (out, json_string_value (schema), space);
  return TRUE;
}

char *
canonical_form (const json_t *schema, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);
  if (!append_schema (out, schema, "", error))
    return NULL;
  return g_strdup (out->str);
}

guint64
canonical_fingerprint (const char *canonical)
{
  guint64 crc = EMPTY_FINGERPRINT;
  for (const char *c = canonical; *c != '\0'; c++) {
    crc ^= (guchar)*c;
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (crc & 1 ? EMPTY_FINGERPRINT : 0);
  }
  return crc;
}
