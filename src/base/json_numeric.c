#include "base/json.h"

#include <string.h>

/* DIGITS, of which the last FRACTION are behind the point. */
static char *
with_point (GString *digits, gint64 fraction)
{
  for (; fraction < 0; fraction++)
    g_string_append_c (digits, '0');
  while ((gint64)digits->len <= fraction)
    g_string_prepend_c (digits, '0');
  gsize zeros = 0, whole = digits->len - (gsize)fraction;
  while (zeros + 1 < whole && digits->str[zeros] == '0')
    zeros++;
  g_string_erase (digits, 0, (gssize)zeros);
  if (fraction > 0)
    g_string_insert_c (digits, (gssize)(whole - zeros), '.');
  return g_string_free (digits, FALSE);
}

char *
json_numeric (const char *text)
{
  GString *digits = g_string_new (NULL);
  gint64 fraction = 0, behind_point = 0;
  const gboolean negative = *text == '-';
  const char *at = text + negative;
  for (; *at != '\0' && *at != 'e' && *at != 'E'; at++)
    if (*at == '.')
      behind_point = 1;
    else {
      g_string_append_c (digits, *at);
      fraction += behind_point;
    }
  if (*at != '\0')
    fraction -= g_ascii_strtoll (at + 1, NULL, 10);
  g_autofree char *value = with_point (digits, fraction);
  const gboolean is_zero = strspn (value, "0.") == strlen (value);
  return g_strconcat (negative && !is_zero ? "-" : "", value, NULL);
}
