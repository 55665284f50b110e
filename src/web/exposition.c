#include "web/exposition.h"

void
exposition_head (GString *body, const char *name, const char *kind, const char *help)
{
  g_string_append_printf (body, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

void
exposition_value (GString *body, const char *name, const char *labels, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (number, sizeof number, "%.17g", value);
  g_string_append_printf (body, *labels ? "%s{%s} %s\n" : "%s%s %s\n", name, labels, number);
}

void
exposition_gauge (GString *body, const char *name, const char *help, double value)
{
  exposition_head (body, name, "gauge", help);
  exposition_value (body, name, "", value);
}

char *
exposition_label (const char *name, const char *value)
{
  GString *label = g_string_new (name);
  g_string_append (label, "=\"");
  for (; *value != '\0'; value++)
    if (*value == '\n')
      g_string_append (label, "\\n");
    else {
      if (*value == '"' || *value == '\\')
        g_string_append_c (label, '\\');
      g_string_append_c (label, *value);
    }
  g_string_append_c (label, '"');
  return g_string_free (label, FALSE);
}
