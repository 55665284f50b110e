#include "engine/job/job_rows.h"

static int
find_column (const PgStatement *statement, const PgRows *rows, const char *name, GError **error)
{
  int column = rows_column (rows, name);
  if (column < 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_RETRY,
                 "%s returns no column '%s': see docs/adding-a-job.md",
                 pg_statement_name (statement), name);
  return column;
}

static gboolean
is_whole (const PgStatement *statement, const PgRows *rows, const char *name, GError **error)
{
  int column = find_column (statement, rows, name, error);
  for (int i = 0; column >= 0 && i < rows_count (rows); i++)
    if (rows_at (rows, i, column) == NULL)
      return error_set (error, PRUNED_RETRY,
                        "%s returns a row whose '%s' is NULL: see docs/adding-a-job.md",
                        pg_statement_name (statement), name);
  return column >= 0;
}

gboolean
job_rows_have (const PgStatement *statement, const PgRows *rows, const char *columns,
               GError **error)
{
  g_auto (GStrv) names = g_strsplit (columns, " ", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (find_column (statement, rows, names[i], error) < 0)
      return FALSE;
  return TRUE;
}

gboolean
job_rows_are_whole (const PgStatement *statement, const PgRows *rows, const char *columns,
                    GError **error)
{
  g_auto (GStrv) names = g_strsplit (columns, " ", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (!is_whole (statement, rows, names[i], error))
      return FALSE;
  return TRUE;
}
