#include "base/csv.h"

#include <string.h>

static void
add_quoted (GString *out, const char *text)
{
  const gboolean computed = *text != '\0' && strchr ("=+-@\t\r", *text) != NULL;
  g_string_append_c (out, '"');
  if (computed)
    g_string_append_c (out, '\'');
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *at);
  }
  g_string_append_c (out, '"');
}

void
csv_add (GString *out, const json_t *cell)
{
  if (cell == NULL || json_is_null (cell))
    return;
  if (json_is_integer (cell)) {
    g_string_append_printf (out, "%" JSON_INTEGER_FORMAT, json_integer_value (cell));
    return;
  }
  g_autofree char *other = json_is_string (cell) ? NULL : json_text (cell);
  add_quoted (out, other != NULL ? other : json_string_value (cell));
}
