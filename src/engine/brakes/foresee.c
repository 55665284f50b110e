#include "engine/brakes/foresee.h"

#include <string.h>

static gboolean
judge (Step *step, const RunCount *count, BrakeVerdict *verdict, GError **error)
{
  *verdict = (BrakeVerdict){ 0 };
  return in_force_of (step->job)->limits.approve == APPROVE_NEVER
         || brake_judge (step, count, verdict, error);
}

gboolean
foresee_run (Step *step, gint64 rows, gint64 below, BrakeVerdict *verdict, GError **error)
{
  const RunCount count = { .rows = rows, .below = below };
  return judge (step, &count, verdict, error);
}

static gboolean
count_and_judge (Step *step, const PlanTally *tally, BrakeVerdict *verdict, GError **error)
{
  g_auto (RunCount) count = { 0 };
  if (tally != NULL)
    count = (RunCount){ .rows = tally->rows, .below = tally->below };
  return (tally != NULL || count_run (step, &count, error)) && judge (step, &count, verdict, error);
}

gboolean
foresee_plan (Pg *pg, const Job *job, gint64 at_us, const json_t *args, const PlanTally *tally,
              BrakeVerdict *verdict, GError **error)
{
  g_autoptr (Run) run = plan_run_of (job, at_us, args);
  g_autoptr (Step) step = step_new (pg, run, "", NULL, NULL);
  gboolean ok = pg_begin_read_only (pg, error) && step_complete (step, error)
                && count_and_judge (step, tally, verdict, error);
  pg_rollback (pg);
  return ok;
}

const char *
foreseen_words (const BrakeVerdict *verdict)
{
  return verdict->error != NULL ? verdict->error + strlen ("held: ") : NULL;
}
