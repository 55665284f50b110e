#include "jobs/shared/hidden.h"

gboolean
hidden_refuse_rows (Step *step, const PgRows *rows, GError **error)
{
  if (rows_count (rows) == 0)
    return TRUE;
  g_autoptr (GString) tables = g_string_new (rows_text (rows, 0, "tab"));
  for (int i = 1; i < rows_count (rows); i++)
    g_string_append_printf (tables, ", %s", rows_text (rows, i, "tab"));
  return step_block (step, error,
                     "row-level security hides rows of %s from this role: give it BYPASSRLS",
                     tables->str);
}

gboolean
hidden_refuse (Step *step, const char *stamp, const char *relations, const char *stays,
               GError **error)
{
  const PgRows *rows = step_query_kept (step, stamp, error, "../shared/hidden", "relation",
                                        relations, "stays", stays, NULL);
  return rows != NULL && hidden_refuse_rows (step, rows, error);
}
