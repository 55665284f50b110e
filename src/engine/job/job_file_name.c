#include "engine/job/job_file_name.h"

#include "pg/quoted.h"

#include <string.h>

/* Cuts off what the file does; without such an ending it deletes. */
static ApplyKind
cut_kind (char *table)
{
  static const struct {
    const char *ending;
    ApplyKind kind;
  } KINDS[]
      = { { ".update", APPLY_UPDATE }, { ".insert", APPLY_INSERT }, { ".delete", APPLY_DELETE } };
  for (guint i = 0; i < G_N_ELEMENTS (KINDS); i++)
    if (g_str_has_suffix (table, KINDS[i].ending)) {
      table[strlen (table) - strlen (KINDS[i].ending)] = '\0';
      return KINDS[i].kind;
    }
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
job_file_name (const char *file, JobApply *apply, GError **error)
{
  g_autofree char *base = g_path_get_basename (file);
  const char *table = base + strspn (base, "0123456789");
  table += *table == '-' ? 1 : 0;
  apply->table = g_strdup (table);
  apply->kind = cut_kind (apply->table);
  if (*apply->table == '\0')
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s.sql: the name says no table", file);
  else if (!is_table (apply->table))
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "%s.sql: '%s' is not TABLE or SCHEMA.TABLE, with .update or .insert behind it",
                 file, table);
  else
    return TRUE;
  g_clear_pointer (&apply->table, g_free);
  return FALSE;
}
