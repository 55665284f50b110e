#include "engine/work/run_step.h"

#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/step/erasure.h"
#include "engine/step/page.h"
#include "engine/step/partitions.h"
#include "engine/step/restored.h"
#include "engine/work/conclude.h"
#include "engine/work/divide.h"
#include "engine/work/on_failure.h"
#include "engine/work/ready.h"

/* Effects that are no try of a page. */
static gboolean
step_whole (Step *step, JobStepFunc make, GError **error)
{
  return restored_begin (step, error) && make (step, error) && restored_stay (step, error);
}

static gboolean
step_coded (Step *step, GError **error)
{
  return step_whole (step, step->job->code->step, error);
}

static gboolean
step_partitions (Step *step, GError **error)
{
  return step_whole (step, partitions_step, error);
}

/* A page of rows whose objects are to go first must not be applied as if they had none. */
static gboolean
step_errand (Step *step, GError **error)
{
  return step_block (step, error, "%s deletes objects first: its rows do not go without them",
                     step->job->name);
}

static const JobStepFunc applies[JOB_KINDS] = {
  [KIND_PAGE] = page_apply,     [KIND_CODED] = step_coded,           [KIND_ERRAND] = step_errand,
  [KIND_OBJECTS] = step_errand, [KIND_PARTITIONS] = step_partitions, [KIND_ERASURE] = erasure_step
};

gboolean
run_step (Step *step, GError **error)
{
  const JobStepFunc apply = applies[step->job->kind->name];
  conclude_note_started (step);
  FAULT_ABOUT ("step.after_fence", step->run->run_id);
  if (step->job->kind->errand)
    return apply (step, error);
  gboolean done;
  const char *at_fault;
  if (!step_is_ready (step, error) || !divide_before (step, &done, error))
    return FALSE;
  if (done)
    return TRUE;
  if (!brakes_before (&step, 1, &at_fault, error))
    return FALSE;
  on_failure_set (step);
  return apply (step, error) && brakes_after (step, error) && divide_after (step, error);
}
