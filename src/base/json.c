#include "base/digits.h"
#include "base/json_private.h"
#include <string.h>

static void
write_escaped (GString *out, char c)
{
  static const char shorts[] = {
    ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'
  };
  if (shorts[(int)c] != 0)
    g_string_append_printf (out, "\\%c", shorts[(int)c]);
  else
    g_string_append_printf (out, "\\u%04x", c);
}

void
json_append_quoted (GString *out, const char *text, gsize len)
{
  g_string_append_c (out, '"');
  gsize plain = 0;
  for (gsize i = 0; i < len; i++) {
    guchar c = text[i];
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    g_string_append_len (out, text + plain, i - plain);
    write_escaped (out, c);
    plain = i + 1;
  }
  g_string_append_len (out, text + plain, len - plain);
  g_string_append_c (out, '"');
}

static void write_value (GString *out, const json_t *value, gboolean sorted);

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
write_member (GString *out, const char *key, const json_t *value, gboolean sorted)
{
  if (out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  json_append_quoted (out, key, strlen (key));
  g_string_append_c (out, ':');
  write_value (out, value, sorted);
}

static void
write_sorted (GString *out, const json_t *object)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  const char *key;
  json_t *value;
  json_object_foreach ((json_t *)object, key, value)
    g_ptr_array_add (keys, (gpointer)key);
  g_ptr_array_sort (keys, compare_texts);
  for (guint i = 0; i < keys->len; i++)
    write_member (out, keys->pdata[i], json_object_get (object, keys->pdata[i]), TRUE);
}

static void
write_object (GString *out, const json_t *object, gboolean sorted)
{
  const char *key, *exact = json_exact (object);
  json_t *value;
  if (exact != NULL) {
    g_string_append (out, exact);
    return;
  }
  g_string_append_c (out, '{');
  if (sorted)
    write_sorted (out, object);
  else
    json_object_foreach ((json_t *)object, key, value)
      write_member (out, key, value, FALSE);
  g_string_append_c (out, '}');
}

static void
write_array (GString *out, const json_t *array, gboolean sorted)
{
  g_string_append_c (out, '[');
  for (gsize i = 0; i < json_array_size (array); i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    write_value (out, json_array_get (array, i), sorted);
  }
  g_string_append_c (out, ']');
}

static void
write_value (GString *out, const json_t *value, gboolean sorted)
{
  switch (json_typeof (value)) {
  case JSON_OBJECT:
    write_object (out, value, sorted);
    break;
  case JSON_ARRAY:
    write_array (out, value, sorted);
    break;
  case JSON_STRING:
    json_append_quoted (out, json_string_value (value), json_string_length (value));
    break;
  case JSON_INTEGER:
    digits_append (out, json_integer_value (value));
    break;
  case JSON_REAL:
    json_append_real (out, json_real_value (value));
    break;
  case JSON_TRUE:
    g_string_append (out, "true");
    break;
  case JSON_FALSE:
    g_string_append (out, "false");
    break;
  case JSON_NULL:
    g_string_append (out, "null");
    break;
  }
}

void
json_append (GString *out, const json_t *value)
{
  write_value (out, value, FALSE);
}

char *
json_text (const json_t *value)
{
  GString *out = g_string_new (NULL);
  json_append (out, value);
  return g_string_free (out, FALSE);
}

char *
json_canonical (const json_t *args)
{
  if (args == NULL || json_is_null (args))
    return g_strdup ("{}");
  GString *out = g_string_new (NULL);
  write_value (out, args, TRUE);
  return g_string_free (out, FALSE);
}
