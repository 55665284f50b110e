#include "engine/work/shareable.h"

#include "engine/job/in_force.h"
#include "engine/step/busy.h"

gboolean
shareable_job (const Job *job)
{
  return job->kind->shares;
}

gboolean
shareable_errand (const Run *run)
{
  return run->wrong == NULL && run->attempts == 0 && run->error == NULL && !run_is_planned (run)
         && !run_in_ranges (run) && !busy_has (run) && in_force_mode (run->job) != MODE_PLAN
         && run->progress.limit == 0 && run->progress.portion == NULL && run->progress.by_rows == 0;
}

gboolean
shareable_run (const Run *run)
{
  return shareable_errand (run) && shareable_job (run->job);
}
