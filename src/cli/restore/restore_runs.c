/* What a job has to do for a run of it, beside putting back its rows: `restored_run.sql`. */
#include "cli/restore/restore.h"

#include "base/resource.h"

/* NULL without ERROR: the job has none. */
static const PgStatement *
statement_of (const Job *job, GError **error)
{
  g_autofree char *path
      = job != NULL ? g_build_filename (job->folder, "restored_run.sql", NULL) : NULL;
  if (job == NULL || job->sentence != NULL || !resource_exists (path))
    return NULL;
  g_autofree char *text = resource_sql (path, error);
  return text != NULL ? pg_statement_text (path, text, error) : NULL;
}

static gboolean
prepare (Restore *restore, guint i, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const PgStatement *statement = statement_of (restore->jobs->pdata[i], &cause);
  if (statement == NULL) {
    if (cause == NULL)
      return TRUE;
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", restore->runs->pdata[i]);
  pg_values_set (values, "whole", restore->only.table == NULL ? "t" : "f");
  g_autoptr (PgRows) rows = pg_run (restore->pg, statement, values, error);
  for (int row = 0; rows != NULL && row < rows_count (rows); row++) {
    const char *table = rows_text (rows, row, "tab"), *key = rows_text (rows, row, "key"),
               *reason = rows_text (rows, row, "reason");
    if (!restore_hold_item (restore, i, table, key, error))
      return FALSE;
    if (reason != NULL)
      restore_add_line (restore, table, key, "left out", g_strdup (reason));
  }
  return rows != NULL;
}

gboolean
restore_prepare (Restore *restore, GError **error)
{
  if (restore->steps->len == 0 || (!restore->dry_run && !restore_begin (restore, error)))
    return restore->steps->len == 0;
  for (guint i = 0; i < restore->runs->len; i++)
    if (!prepare (restore, i, error))
      return FALSE;
  return restore->dry_run || restore_commit (restore, error);
}
