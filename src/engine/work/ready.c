#include "engine/work/ready.h"

#include "base/clock.h"
#include "engine/job/arguments.h"
#include "engine/job/job_needs.h"
#include "engine/job/job_rows.h"

/* Is something missing that the job cannot do without, as STATEMENT says? */
static gboolean
check_reasons (Step *step, const PgStatement *statement, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) reasons = pg_run (step->pg, statement, values, error);
  if (reasons == NULL || rows_count (reasons) == 0)
    return reasons != NULL;
  if (!job_rows_are_whole (statement, reasons, "reason", error))
    return FALSE;
  return step_block (step, error, "%s", rows_text (reasons, 0, "reason"));
}

static gboolean
check_blocked (Step *step, GError **error)
{
  const PgStatement *statement = step->job->blocked;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  return check_reasons (step, statement, values, error);
}

/* The same, for what is too dear to be asked at each step. That nothing is missing holds for the
 * minute, on this connection. */
static gboolean
check_for_minute (Step *step, const PgStatement *statement, const PgValues *values, GError **error)
{
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  const PgRows *reasons = pg_run_kept (step->pg, statement, values, minute, error);
  return reasons != NULL
         && (rows_count (reasons) == 0 || check_reasons (step, statement, values, error));
}

static gboolean
check_blocked_minute (Step *step, GError **error)
{
  const PgStatement *statement = step->job->blocked_minute;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  return check_for_minute (step, statement, values, error);
}

/* What a folder of one's own says that it needs: its files need not read it. */
static gboolean
check_needs (Step *step, GError **error)
{
  if (!job_needs_any (step->job))
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  job_needs_bind (step->job, values);
  return check_for_minute (step, pg_statement (JOB_NEEDS), values, error);
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
  return check_args (step, error) && step_complete (step, error) && check_needs (step, error)
         && check_blocked (step, error) && check_blocked_minute (step, error);
}
