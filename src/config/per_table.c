#include "config/per_table.h"

#include <string.h>

void
per_table_each (const char *text, PerTableVisit visit, gpointer data)
{
  g_auto (GStrv) items = g_strsplit (text, ";", -1);
  for (char **item = items; *item != NULL; item++) {
    char *table = g_strstrip (*item), *colon = strrchr (table, ':');
    if (*table == '\0')
      continue;
    if (colon != NULL)
      *colon = '\0';
    visit (g_strchomp (table), colon != NULL ? g_strchug (colon + 1) : NULL, data);
  }
}
