#include "engine/brakes/within_range.h"

#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/step/ranges.h"

/* A limit holds that did not when the run was divided, or a lower one. */
static gboolean
is_lowered (const Step *step)
{
  const gint64 now = in_force_of (step->job)->limits.max_rows, before = ranges_most (step->run);
  return ranges_has (step->run, "free") || (now >= 0 && (before < 0 || now < before));
}

gboolean
brake_within_range (Step *step, gint64 rows, GError **error)
{
  const Run *run = step->run;
  const gint64 total = run->rows_done + rows, quota = ranges_quota (run);
  const gboolean approved = run_is_approved (run);
  const char *why = NULL;
  if (!approved && !limits_ask (step, rows, &why, error))
    return FALSE;
  if (why == NULL && (quota < 0 || total <= quota) && approved == ranges_has (run, "approved")
      && (approved || !is_lowered (step)))
    return TRUE;
  step->brake = BRAKE_RANGES;
  return step_fail (step, error, PRUNED_RETRY, "the run takes its ranges in");
}
