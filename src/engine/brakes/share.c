#include "engine/brakes/share.h"

#define THOUSAND 1000
#define LARGE 1000 /* rows of a table that is not small */

static gint64
plain_share_of (gint64 n, const JobLimits *set)
{
  return (gint64)((double)n * (double)set->max_share / THOUSAND / 100);
}

gint64
share_rows (gint64 n, const JobLimits *set)
{
  const gint64 share = plain_share_of (n, set);
  return set->share_of_large ? share : MAX (share, set->min_rows - 1);
}

gint64
share_limit (gint64 n, gint64 gone, const JobLimits *set)
{
  return !set->share_of_large || n + gone >= LARGE ? share_rows (n, set) : LIMIT_NONE;
}

gint64
share_free_rows (const JobLimits *set)
{
  const gint64 free = set->min_rows - 1;
  return set->share_of_large && set->max_share >= 0 ? MIN (free, plain_share_of (LARGE, set))
                                                    : free;
}

gboolean
share_read_rows (Step *step, gint64 *n, gboolean *counted, GError **error)
{
  *n = -1;
  *counted = FALSE;
  if (in_force_of (step->job)->limits.max_share < 0 || step->job->table == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "tab", step->job->table);
  g_autoptr (PgRows) how
      = pg_run_file (step->pg, "src/engine/brakes/sql/table_rows.sql", values, error);
  if (how == NULL || rows_count (how) == 0)
    return how != NULL;
  *n = rows_int (how, 0, "estimate");
  if (*n >= 0)
    return TRUE;
  /* small, or never analyzed */
  g_autoptr (PgRows) rows = step_query_text (step, error, rows_text (how, 0, "sql"), NULL);
  if (rows == NULL)
    return FALSE;
  *n = rows_int (rows, 0, "n");
  *counted = TRUE;
  return TRUE;
}

gboolean
share_removes (const Job *job)
{
  gboolean removes = FALSE;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    removes
        |= what->apply->len > 0
           && g_array_index (what->apply, JobApply, job_own_file (job, what)).kind == APPLY_DELETE;
  }
  return removes;
}
