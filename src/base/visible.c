#include "base/visible.h"

/* Bidi_Control (Unicode, PropList.txt), C1, and separators of lines and paragraphs. */
static gboolean
is_hidden (gunichar c)
{
  return (c >= 0x80 && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

char *
visible_line (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *line = g_string_new (NULL);
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar c = g_utf8_get_char (at);
    if (is_hidden (c))
      g_string_append_printf (line, "\\u%04x", c);
    else
      g_string_append_unichar (line, g_unichar_iscntrl (c) ? ' ' : c);
  }
  return g_string_free (line, FALSE);
}
