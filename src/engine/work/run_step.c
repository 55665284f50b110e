#include "engine/work/run_step.h"

#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/step/page.h"
#include "engine/step/partitions.h"
#include "engine/work/conclude.h"
#include "engine/work/ready.h"

gboolean
run_step (Step *step, GError **error)
{
  steps_note_started (step);
  FAULT_ABOUT ("step.after_fence", step->run->run_id);
  if (!step_is_ready (step, error) || !brakes_before (step, error))
    return FALSE;
  gboolean coded = step->job->code != NULL && step->job->code->step != NULL;
  return (coded                                             ? step->job->code->step (step, error)
          : sentence_is_of_partitions (step->job->sentence) ? partitions_step (step, error)
                                                            : page_apply (step, error))
         && brakes_after (step, error);
}
