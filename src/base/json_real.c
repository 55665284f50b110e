#include "base/json_private.h"
#include <string.h>

void
json_append_real (GString *out, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  for (int precision = 15; precision <= 17; precision++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%dg", precision);
    g_ascii_formatd (digits, sizeof digits, format, value);
    if (g_ascii_strtod (digits, NULL) == value)
      break;
  }
  g_string_append (out, digits);
  if (strpbrk (digits, ".e") == NULL)
    g_string_append (out, ".0");
}
