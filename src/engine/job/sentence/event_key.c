#include "engine/job/sentence/event_key.h"

#include "engine/job/sentence/sql_text.h"

#include <string.h>

/* `payload.user.id` */
gboolean
event_key_is_path (const char *text, GError **error)
{
  gboolean ok = *text != '\0';
  g_auto (GStrv) parts = g_strsplit (text, ".", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    ok = ok && *parts[i] != '\0' && strpbrk (parts[i], " \t\"'=,;") == NULL;
  if (ok && g_str_has_prefix (text, "$."))
    return error_fatal (error, "a path begins at the value, without '$': %s", text + strlen ("$."));
  return ok || error_fatal (error, "'%s' is not a path like payload.user.id", text);
}

/* `person_id = payload.user.id`: PART becomes the path. *COLUMN: NULL if there is none. */
static gboolean
take_column (char *part, char **column, GError **error)
{
  const char *equals = strchr (part, '=');
  *column = NULL;
  if (equals == NULL)
    return TRUE;
  g_autofree char *name = g_strstrip (g_strndup (part, equals - part));
  *column = sql_text_only_name (name, 1, error);
  memmove (part, equals + 1, strlen (equals));
  return *column != NULL;
}

static gboolean
take_columns (SentenceEvent *event, GPtrArray *columns, GError **error)
{
  if (columns->len == 0)
    return TRUE;
  if (columns->len < g_strv_length (event->key))
    return error_fatal (error, "write a column for each path, or for none of them");
  for (guint i = 1; i < columns->len; i++)
    for (guint k = 0; k < i; k++)
      if (g_str_equal (columns->pdata[k], columns->pdata[i]))
        return error_fatal (error, "the column %s twice", (char *)columns->pdata[i]);
  g_ptr_array_add (columns, NULL);
  event->columns = g_strdupv ((char **)columns->pdata);
  return TRUE;
}

gboolean
event_key_take (SentenceEvent *event, const char *value, GError **error)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func (g_free);
  g_strfreev (event->key);
  g_strfreev (event->columns);
  event->columns = NULL;
  event->key = g_strsplit (value, ",", -1);
  for (guint i = 0; event->key[i] != NULL; i++) {
    char *column = NULL;
    const gboolean ok = take_column (event->key[i], &column, error)
                        && event_key_is_path (g_strstrip (event->key[i]), error);
    if (column != NULL)
      g_ptr_array_add (columns, column);
    if (!ok)
      return FALSE;
  }
  return take_columns (event, columns, error)
         && (event->key[0] != NULL || error_fatal (error, "the value is empty"));
}
