#include "engine/job/job_file_name.h"

#include "config/nearest.h"
#include "pg/quoted.h"

#include <string.h>

/* Cuts off what the file does; without such an ending it deletes. *MEANT: the ending that the name
 * of a table is near to; NULL: none. */
static ApplyKind
cut_kind (char *table, const char **meant)
{
  static const char *const endings[] = { "update", "insert", "delete", NULL };
  static const ApplyKind kinds[] = { APPLY_UPDATE, APPLY_INSERT, APPLY_DELETE };
  char *dot = strrchr (table, '.');
  *meant = NULL;
  for (guint i = 0; dot != NULL && endings[i] != NULL; i++)
    if (g_str_equal (dot + 1, endings[i])) {
      *dot = '\0';
      return kinds[i];
    }
  if (dot != NULL && dot[1] != '\0')
    *meant = nearest_name (dot + 1, endings);
  return APPLY_DELETE;
}

/* `orders`, `billing.orders`, `billing."Order. Items"`: not `a.b.c`, nor `orders.`. */
static gboolean
is_table (const char *name)
{
  g_autofree char *schema = quoted_schema (name), *bare = quoted_bare (name),
                  *above = schema != NULL ? quoted_schema (schema) : NULL;
  return *bare != '\0' && above == NULL && (schema == NULL || *schema != '\0');
}

gboolean
job_file_name (const char *path, JobApply *apply, GError **error)
{
  g_autofree char *base = g_path_get_basename (path);
  base[strlen (base) - strlen (".sql")] = '\0';
  const char *table = base + strspn (base, "0123456789");
  table += *table == '-' ? 1 : 0;
  apply->table = g_strdup (table);
  const char *meant;
  apply->kind = cut_kind (apply->table, &meant);
  if (*apply->table == '\0')
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s: the name says no table", path);
  else if (meant != NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "%s: '%s' ends like .%s; if it is a table, write .delete behind it", path, table,
                 meant);
  else if (!is_table (apply->table))
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "%s: '%s' is not TABLE or SCHEMA.TABLE, with .update or .insert behind it", path,
                 table);
  else
    return TRUE;
  g_clear_pointer (&apply->table, g_free);
  return FALSE;
}
