#include "base/cut.h"

#include <string.h>

static gboolean
is_within_character (char byte)
{
  return ((guchar)byte & 0xc0) == 0x80;
}

char *
cut_text (const char *text, gsize most)
{
  gsize len = strlen (text), n = most;
  if (len <= most)
    return g_strdup (text);
  while (n > 0 && most - n < 3 && is_within_character (text[n]))
    n--;
  return g_strdup_printf ("%.*s... (%" G_GSIZE_FORMAT " bytes more)", (int)n, text, len - n);
}
