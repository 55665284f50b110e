#include "engine/work/bury.h"

#include "engine/service/stats.h"
#include "engine/work/on_failure.h"

static gboolean
end (Service *service, Pg *pg, Run *run, const Work *work, const char *reason, Bundle *bundle,
     GError **error)
{
  g_autoptr (Step) step = step_new (pg, run, service->prefix, NULL, bundle);
  const gboolean range = run->range_of != NULL; /* its run does what is left of it */
  RunFailure failure = { .run = run,
                         .state = range ? "skipped" : "dead",
                         .attempts = run->attempts + !range,
                         .error = reason };
  g_autoptr (PgRows) ended = run_fail (pg, &failure, error);
  if (ended == NULL || (!range && !on_failure_end (step, "dead", reason, error)))
    return FALSE;
  step_add_dead (step, "{\"status\":\"failed\"}", NULL, reason);
  return publisher_store (service->publisher, pg, bundle, error);
}

gboolean
bury_run (Service *service, Pg *pg, const Job *job, const Work *work, const char *reason,
          Bundle *bundle, GError **error)
{
  g_auto (Claim) claim = { 0 };
  g_autoptr (GArray) works = g_array_new (FALSE, FALSE, sizeof (Work)); /* borrows */
  g_array_append_val (works, *work);
  gboolean ok = claim_runs (&claim, service, pg, job, NULL, works, error)
                && (claim.runs->len == 0
                    || end (service, pg, claim.runs->pdata[0], work, reason, bundle, error));
  if (!ok || !transaction_commit (&claim.transaction, error)) {
    transaction_rollback (&claim.transaction);
    publisher_abandon (service->publisher, bundle);
    return FALSE;
  }
  if (claim.runs->len > 0 && ((const Run *)claim.runs->pdata[0])->range_of == NULL) {
    log_error ("Run is dead", "job", job->name, "run_id", work->run_id, "error", reason);
    stats_add (STATS_RUNS, job->name, "dead", 1);
  }
  return TRUE;
}
