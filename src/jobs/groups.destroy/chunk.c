#include "jobs/groups.destroy/chunk.h"

char *
chunk_array (const Walk *walk, size_t n)
{
  GString *array = array_new ();
  const json_t *chunk = json_object_get (walk->cursor, "groups");
  for (size_t i = 0; i < json_array_size (chunk) && i < n; i++)
    array_add_int (array, json_integer_value (json_array_get (chunk, i)));
  return array_take (array);
}

size_t
chunk_size (const Walk *walk)
{
  return json_array_size (json_object_get (walk->cursor, "groups"));
}

void
chunk_drop (Walk *walk, size_t n)
{
  json_t *chunk = json_object_get (walk->cursor, "groups");
  while (n-- > 0 && json_array_size (chunk) > 0)
    json_array_remove (chunk, 0);
}

char *
chunk_after (const Walk *walk, const char *name)
{
  return g_strdup_printf ("%" JSON_INTEGER_FORMAT,
                          json_integer_value (json_object_get (walk->cursor, name)));
}

gboolean
chunk_load (Walk *walk, const char *file, gint64 most, GError **error)
{
  g_autofree char *after = chunk_after (walk, "after"),
                  *limit = g_strdup_printf ("%" G_GINT64_FORMAT, most);
  g_autoptr (PgRows) rows = step_query (walk->step, error, file, "group", walk->group, "after",
                                        after, "limit", limit, NULL);
  if (rows == NULL)
    return FALSE;
  json_t *chunk = json_array ();
  for (int i = 0; i < rows_count (rows); i++)
    json_array_append_new (chunk, json_integer (rows_int (rows, i, "id")));
  if (rows_count (rows) > 0)
    json_object_set_new (walk->cursor, "after",
                         json_integer (rows_int (rows, rows_count (rows) - 1, "id")));
  json_object_set_new (walk->cursor, "groups", chunk);
  json_object_del (walk->cursor, "project");
  return TRUE;
}
