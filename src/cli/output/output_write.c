/* What reaches standard output. */
#include "cli/output/output_private.h"

#include <stdio.h>

#define CLEAR "\033[H\033[2J"

void
output_put (Output *out, const char *text)
{
  if (fputs (text, stdout) < 0)
    out->failed = TRUE;
}

void
output_flush (Output *out)
{
  if (fflush (stdout) != 0)
    out->failed = TRUE;
}

void
output_clear (Output *out)
{
  if (out->terminal)
    output_put (out, CLEAR);
}

char *
output_coloured (const Output *out, const char *text)
{
  const char *colour = out->colours ? cell_colour (text) : NULL;
  return colour != NULL ? g_strconcat (colour, text, PLAIN, NULL) : g_strdup (text);
}
