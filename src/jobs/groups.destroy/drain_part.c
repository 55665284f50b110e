/* What drain.c and own.c share: locks, what went, and rows that no level has. */
#include "jobs/groups.destroy/drain.h"

#include "jobs/shared/sweep.h"

gint64
drain_changed (const PgRows *answer)
{
  return rows_column (answer, "n") >= 0 ? rows_int (answer, 0, "n") : rows_count (answer);
}

void
drain_note_gone (Portion *portion, const GPtrArray *gone, guint n)
{
  for (guint i = 0; i < n; i++)
    portion->removed += drain_changed (gone->pdata[i]);
}

gboolean
drain_all_empty (const Portion *portion, const GPtrArray *gone, guint n)
{
  if (portion->cut)
    return portion->removed == 0;
  for (guint i = 0; i < n; i++)
    if (drain_changed (gone->pdata[i]) >= g_ascii_strtoll (portion->limit, NULL, 10))
      return FALSE;
  return TRUE;
}

int
drain_reference_row (const Referring *found, int i)
{
  return (int)rows_int (found->there, i, "number") - 1;
}

/* Queues the queries in COLUMN of one level; adds their number to *N. */
static gboolean
queue_column (Step *step, const Portion *portion, const Referring *found, int from, int to,
              const char *column, guint *n, GError **error)
{
  for (int i = from; i < to; i++) {
    const char *sql = rows_text (found->references, drain_reference_row (found, i), column);
    if (sql != NULL && !step_queue_text (step, error, sql, PORTION (portion)))
      return FALSE;
    *n += sql != NULL;
  }
  return TRUE;
}

gboolean
drain_queue_holds (Step *step, const Portion *portion, const Referring *found, int from, int to,
                   guint *n, GError **error)
{
  *n = 0;
  return queue_column (step, portion, found, from, to, "hold", n, error)
         && queue_column (step, portion, found, from, to, "look", n, error);
}

gboolean
drain_sweep_others (Step *step, Portion *portion, const PgRows *others, GError **error)
{
  /* They need more than a record: outcomes, files, authorizations. */
  static const char *const refused[]
      = { "projects", "namespaces", "users", "members", "ci_job_artifacts", NULL };
  gint64 limit = g_ascii_strtoll (portion->limit, NULL, 10);
  Sweep sweep = { .step = step,
                  .catalogue = portion->catalogue,
                  .projects = portion->projects,
                  .namespaces = portion->namespaces,
                  .groups = portion->groups,
                  .refused = refused,
                  .left = limit };
  for (int i = 0, n; i < rows_count (others) && sweep.left > 0; i++)
    if (!sweep_rows (&sweep, rows_text (others, i, "relation"), rows_text (others, i, "condition"),
                     1, &n, error))
      return FALSE;
  portion->removed += limit - sweep.left;
  return sweep.left < limit
         || step_fail (step, error, PRUNED_DATA, SWEEP_STAY, rows_text (others, 0, "relation"));
}

const PgRows *
drain_first_found (const GPtrArray *answers, guint first)
{
  for (guint i = first; i < answers->len; i++)
    if (rows_count (answers->pdata[i]) > 0)
      return answers->pdata[i];
  return NULL;
}
