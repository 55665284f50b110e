#include "engine/brakes/foresee.h"

#include <string.h>

static gboolean
judge (Step *step, const RunCount *count, BrakeFinding *finding, GError **error)
{
  *finding = (BrakeFinding){ 0 };
  return in_force_approve (step->job) == APPROVE_NEVER || brake_judge (step, count, finding, error);
}

gboolean
foresee_run (Step *step, gint64 rows, gint64 below, BrakeFinding *finding, GError **error)
{
  const RunCount count = { .rows = rows, .below = below };
  return judge (step, &count, finding, error);
}

static gboolean
count_and_judge (Step *step, const PlanTally *tally, gboolean known, BrakeFinding *finding,
                 GError **error)
{
  g_auto (RunCount) count = { 0 };
  if (!known && !count_run (step, &count, error))
    return FALSE;
  count.rows += tally->rows;
  count.below += tally->below;
  return judge (step, &count, finding, error);
}

gboolean
foresee_plan (Pg *pg, const Job *job, gint64 at_us, const json_t *args, const PlanTally *tally,
              gboolean known, BrakeFinding *finding, GError **error)
{
  g_autoptr (Run) run = plan_run_of (job, at_us, args);
  g_autoptr (Step) step = step_new (pg, run, "", NULL, NULL);
  gboolean ok = pg_begin_read_only (pg, error) && step_complete (step, error)
                && count_and_judge (step, tally, known, finding, error);
  pg_rollback (pg);
  return ok;
}

const char *
foresee_words (const BrakeFinding *finding)
{
  return finding->error != NULL ? finding->error + strlen ("held: ") : NULL;
}
