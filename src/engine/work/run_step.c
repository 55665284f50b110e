#include "engine/work/run_step.h"

#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/step/page.h"
#include "engine/step/partitions.h"
#include "engine/step/restored.h"
#include "engine/work/conclude.h"
#include "engine/work/divide.h"
#include "engine/work/on_failure.h"
#include "engine/work/ready.h"

/* A page of rows whose objects are to go first must not be applied as if they had none. */
static gboolean
has_no_errand (Step *step, GError **error)
{
  if (!job_is_errand (step->job))
    return TRUE;
  return step_block (step, error, "%s deletes objects first: its rows do not go without them",
                     step->job->name);
}

/* Steps whose effects are no try of a page. */
static gboolean
step_whole (Step *step, gboolean coded, GError **error)
{
  return restored_begin (step, error)
         && (coded ? step->job->code->step (step, error) : partitions_step (step, error))
         && restored_stay (step, error);
}

gboolean
run_step (Step *step, GError **error)
{
  conclude_note_started (step);
  FAULT_ABOUT ("step.after_fence", step->run->run_id);
  gboolean done;
  if (!has_no_errand (step, error) || !step_is_ready (step, error)
      || !divide_before (step, &done, error))
    return FALSE;
  if (done)
    return TRUE;
  if (!brakes_before (step, error))
    return FALSE;
  gboolean coded = step->job->code != NULL && step->job->code->step != NULL;
  on_failure_set (step);
  const gboolean whole = coded || sentence_is_of_partitions (step->job->sentence);
  return (whole ? step_whole (step, coded, error) : page_apply (step, error))
         && brakes_after (step, error) && divide_after (step, error);
}
