/* What a sweep would take, counted before it begins. */
#include "jobs/shared/sweep.h"

#include "jobs/shared/sweep_private.h"

/* The rows of the table in row I of COUNTS. *FURTHER: others can go with them. */
static void
count_row (const Sweep *sweep, const PgRows *counts, int i, gboolean *further)
{
  const gint64 n = rows_int (counts, i, "n");
  const gboolean takes = rows_bool (counts, i, "takes"),
                 refused
                 = takes && g_strv_contains (sweep->refused, rows_text (counts, i, "relation"));
  *further = takes && n > 0 && !refused;
  if (!refused)
    step_count_beside (sweep->step, rows_text (counts, i, "table_name"), takes, n);
}

static gboolean
foresee (const Sweep *sweep, const char *relation, const char *condition, int depth,
         const char *except, GError **error)
{
  const PgRows *made = sweep_statements (sweep, relation, condition, depth, except, error);
  const char *sql = made != NULL ? rows_text (made, 0, "counts") : NULL;
  if (sql == NULL || depth > SWEEP_DEPTH)
    return made != NULL;
  g_autoptr (PgRows) counts = step_query_text (sweep->step, error, sql, SWEEP_NAMED (sweep), NULL);
  for (int i = 0; counts != NULL && i < rows_count (counts); i++) {
    gboolean further;
    count_row (sweep, counts, i, &further);
    if (further
        && !foresee (sweep, rows_text (counts, i, "relation"), rows_text (counts, i, "condition"),
                     depth + 1, except, error))
      return FALSE;
  }
  return counts != NULL;
}

gboolean
sweep_foresee (const Sweep *sweep, const char *relation, const char *condition, const char *except,
               GError **error)
{
  return foresee (sweep, relation, condition, 0, except, error);
}
