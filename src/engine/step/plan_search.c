#include "engine/step/plan_search.h"

#include "engine/step/page_keys.h"

static PgRows *
search (Step *step, int limit, GError **error)
{
  g_autoptr (PgValues) values = page_values (step, limit);
  return pg_run (step->pg, page_statement (step), values, error);
}

static void
go_by_rows (Step *step)
{
  step->run->progress.by_rows++;
  step_take_job (step, step->job);
}

/* NULL without an error: a row makes the search fail. */
static PgRows *
try_search (Step *step, int limit, GError **error)
{
  GError *cause = NULL;
  if (!pg_exec_later (step->pg, "SAVEPOINT search", error))
    return NULL;
  PgRows *rows = search (step, limit, &cause);
  if (rows != NULL && pg_exec_later (step->pg, "RELEASE search", error))
    return rows;
  g_clear_pointer (&rows, rows_free);
  if (cause == NULL)
    return NULL;
  if (cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return NULL;
  }
  g_error_free (cause);
  (void)(pg_exec (step->pg, "ROLLBACK TO search", error)
         && pg_exec_later (step->pg, "RELEASE search", error));
  return NULL;
}

PgRows *
plan_search (Step *step, int limit, GError **error)
{
  while (job_form_next (step->job) != NULL) {
    GError *cause = NULL;
    PgRows *rows = try_search (step, limit, &cause);
    if (rows != NULL)
      return rows;
    if (cause != NULL) {
      g_propagate_error (error, cause);
      return NULL;
    }
    go_by_rows (step);
  }
  return search (step, limit, error);
}
