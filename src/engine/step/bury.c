#include "engine/step/bury.h"

#include "engine/service/stats.h"
#include "engine/step/step.h"

static PgValues *
values_of (const Work *work, const char *reason)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "run_id", work->run_id);
  pg_values_int (values, "step", work->step);
  pg_values_int (values, "attempt", work->attempt);
  pg_values_set (values, "state", "dead");
  pg_values_int (values, "attempts", work->attempt + 1);
  pg_values_int (values, "delay_ms", 0);
  pg_values_set (values, "error", reason);
  pg_values_set (values, "cursor", NULL);
  pg_values_set (values, "result", NULL);
  return values;
}

static gboolean
end (Service *service, Pg *pg, Run *run, const Work *work, const char *reason, Bundle *bundle, GError **error)
{
  g_autoptr (Step) step = step_new (pg, run, service->prefix, NULL, bundle);
  g_autoptr (PgValues) values = values_of (work, reason);
  g_autoptr (PgRows) ended = pg_run_file (pg, "src/engine/step/sql/fail.sql", values, error);
  if (ended == NULL)
    return FALSE;
  step_add_run_finished (step, "dead", "{\"status\":\"failed\"}", reason);
  return publisher_store (service->publisher, pg, bundle, error);
}

gboolean
bury_run (Service *service, Pg *pg, const Job *job, const Work *work, const char *reason, Bundle *bundle, GError **error)
{
  Transaction transaction = { 0 };
  gboolean paused;
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work)); /* borrows */
  g_array_append_val (works, *work);
  g_autoptr (GPtrArray) runs = NULL;
  gboolean ok = transaction_begin (&transaction, service, pg, error)
                && (runs = transaction_fence (&transaction, job, works, &paused, error)) != NULL
                && (runs->len == 0 || end (service, pg, runs->pdata[0], work, reason, bundle, error));
  if (!ok || !transaction_commit (&transaction, error))
    {
      transaction_rollback (&transaction);
      publisher_abandon (service->publisher, bundle);
      return FALSE;
    }
  if (runs->len > 0)
    {
      log_error ("Run is dead", "job", job->name, "run_id", work->run_id, "error", reason);
      stats_add (STATS_RUNS, job->name, "dead", 1);
    }
  return TRUE;
}
