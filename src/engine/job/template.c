#include "engine/job/template.h"

#include <string.h>

char *
template_fill (const char *template, TemplateValue value, gconstpointer data)
{
  GString *text = g_string_new (NULL);
  for (const char *at = template; *at != '\0';) {
    const char *end = *at == '{' ? strchr (at, '}') : NULL;
    if (end == NULL) {
      g_string_append_c (text, *at++);
      continue;
    }
    g_autofree char *name = g_strndup (at + 1, end - at - 1);
    value (text, name, data);
    at = end + 1;
  }
  return g_string_free (text, FALSE);
}
