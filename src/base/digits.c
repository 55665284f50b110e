#include "base/digits.h"

void
digits_append (GString *out, gint64 value)
{
  char digits[24], *at = digits + sizeof digits;
  guint64 left = value < 0 ? -(guint64)value : (guint64)value;
  do
    *--at = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  if (value < 0)
    *--at = '-';
  g_string_append_len (out, at, digits + sizeof digits - at);
}

char *
digits_put (char *at, guint width, guint value)
{
  for (guint i = width; i > 0; i--, value /= 10)
    at[i - 1] = (char)('0' + value % 10);
  return at + width;
}
