#include "engine/brakes/within_range.h"

#include "engine/brakes/limits.h"
#include "engine/job/in_force.h"
#include "engine/step/ranges.h"

static gboolean
is_lower (gint64 now, gint64 before)
{
  return now >= 0 && (before < 0 || now < before);
}

/* A limit holds that did not when the run was divided, or a lower one. */
static gboolean
is_lowered (const Step *step)
{
  const JobLimits *now = &in_force_of (step->job)->limits;
  const Run *run = step->run;
  return ranges_has (run, "free") || is_lower (now->max_rows, ranges_limit (run, "most"))
         || is_lower (now->max_share, ranges_limit (run, "share"))
         || is_lower (now->max_ratio, ranges_limit (run, "ratio"));
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
  step_set_brake (step, BRAKE_RANGES);
  return step_fail (step, error, PRUNED_RETRY,
                    "the range has changed all that it may; the run goes on undivided");
}
