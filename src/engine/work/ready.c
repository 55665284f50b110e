#include "engine/work/ready.h"

#include "engine/job/arguments.h"
#include "engine/job/job_rows.h"

/* Is something missing that the job says it cannot do without? */
static gboolean
check_blocked (Step *step, GError **error)
{
  if (step->job->blocked == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, step->job->blocked, values);
  g_autoptr (PgRows) reasons = pg_run (step->pg, step->job->blocked, values, error);
  if (reasons == NULL || rows_count (reasons) == 0)
    return reasons != NULL;
  if (!job_rows_are_whole (step->job->blocked, reasons, "reason", error))
    return FALSE;
  return step_block (step, error, "%s", rows_text (reasons, 0, "reason"));
}

/* Arguments that are wrong at every try. */
static gboolean
check_args (Step *step, GError **error)
{
  g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
  if (step->run->wrong != NULL)
    return step_fail (step, error, PRUNED_REJECT, "%s", step->run->wrong);
  return reason == NULL || step_fail (step, error, PRUNED_REJECT, "args: %s", reason);
}

gboolean
step_is_ready (Step *step, GError **error)
{
  return check_args (step, error) && step_complete (step, error) && check_blocked (step, error);
}
