#include "engine/step/remains.h"

#include "engine/job/job_rows.h"

/* A row of another table that a trigger has kept is no row that PostgreSQL refuses: only the job
 * knows that it should have changed. */
gboolean
remains_none (Step *step, const Trial *trial, const Extra *extra, GError **error)
{
  const PgStatement *statement = step_form (step)->remains;
  if (statement == NULL)
    return TRUE;
  g_autoptr (GArray) which = trial_rows (trial, NULL);
  g_autoptr (PgValues) values = trial_values_of (step, statement, trial, which, extra);
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, error);
  if (rows == NULL || !job_rows_have (statement, rows, "reason", error))
    return FALSE;
  return rows_count (rows) == 0
         || step_fail (step, error, PRUNED_DATA, "%s", rows_text (rows, 0, "reason"));
}
