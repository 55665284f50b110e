/* Lines for people, beside the tables. */
#include "cli/output/output_private.h"

#include "base/visible.h"

#include <stdarg.h>

#define RED "\033[31m"
#define TITLE "%-11s "
#define TITLE_WIDTH 12

static void
put_line_of (Output *out, const char *format, va_list list)
{
  g_autofree char *text = g_strdup_vprintf (format, list);
  output_put (out, text);
  output_put (out, "\n");
}

void
output_say (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  if (!out->json)
    put_line_of (out, format, list);
  va_end (list);
}

static char *
line_of (const char *format, va_list list)
{
  g_autofree char *text = g_strdup_vprintf (format, list);
  return visible_line (text);
}

void
output_end_list (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *text = line_of (format, list);
  va_end (list);
  output_end (out);
  if (!out->has_rows)
    output_say (out, "%s", text);
}

void
output_line (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *text = line_of (format, list);
  va_end (list);
  output_say (out, "%s", text);
}

void
output_titled (Output *out, const char *title, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *text = line_of (format, list);
  va_end (list);
  g_autofree char *lines = output_wrapped (out, text, TITLE_WIDTH);
  output_say (out, TITLE "%s", title, lines);
}

void
output_alarm (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *text = line_of (format, list);
  va_end (list);
  output_say (out, "%s%s%s", out->colours ? RED : "", text, out->colours ? PLAIN : "");
}

void
output_hint (Output *out, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  if (out->terminal)
    put_line_of (out, format, list);
  va_end (list);
}
