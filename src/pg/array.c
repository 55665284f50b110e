#include "pruned/array.h"

#include "base/digits.h"

GString *
array_new (void)
{
  return g_string_new ("{");
}

static gboolean
is_plain (const char *value)
{
  if (*value == '\0' || g_ascii_strcasecmp (value, "null") == 0)
    return FALSE;
  for (const char *p = value; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_' && *p != '.' && *p != ':' && *p != '+')
      return FALSE;
  return TRUE;
}

void
array_add (GString *array, const char *value)
{
  if (array->len > 1)
    g_string_append_c (array, ',');
  if (value == NULL)
    g_string_append (array, "NULL");
  else if (is_plain (value))
    g_string_append (array, value);
  else {
    g_string_append_c (array, '"');
    for (const char *p = value; *p != '\0'; p++) {
      if (*p == '"' || *p == '\\')
        g_string_append_c (array, '\\');
      g_string_append_c (array, *p);
    }
    g_string_append_c (array, '"');
  }
}

void
array_add_int (GString *array, gint64 value)
{
  if (array->len > 1)
    g_string_append_c (array, ',');
  digits_append (array, value);
}

char *
array_take (GString *array)
{
  g_string_append_c (array, '}');
  return g_string_free (array, FALSE);
}

char *
array_of_texts (const GPtrArray *texts)
{
  GString *array = array_new ();
  for (guint i = 0; i < texts->len; i++)
    array_add (array, texts->pdata[i]);
  return array_take (array);
}
