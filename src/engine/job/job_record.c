#include "engine/job/job_record.h"

#include "base/json.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

#define PARTS 3 /* schema, table, column */

/* The last name of ITEM begins behind the last dot outside of quotes. */
static const char *
last_of (const char *item)
{
  gboolean quoted = FALSE;
  const char *last = item;
  for (const char *p = item; *p != '\0'; p++) {
    quoted ^= *p == '"';
    if (*p == '.' && !quoted)
      last = p + 1;
  }
  return last;
}

char *
job_record_read (const char *table, char *const *items, GError **error)
{
  g_autoptr (json_t) list = json_array ();
  for (guint i = 0; items[i] != NULL; i++) {
    g_autofree char *item = sql_text_only_name (items[i], PARTS, error);
    if (item == NULL)
      return NULL;
    const char *last = last_of (item);
    g_autofree char *column = quoted_bare (last),
                    *of
                    = last > item ? g_strndup (item, (gsize)(last - item) - 1) : g_strdup (table);
    json_array_append_new (list, json_pack ("[s, s]", of, column));
  }
  return json_text (list);
}
