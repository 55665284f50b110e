#include "engine/work/shareable.h"

#include "engine/job/in_force.h"
#include "engine/step/busy.h"

gboolean
shareable_job (const Job *job)
{
  return !job_is_errand (job) && !sentence_is_of_partitions (job->sentence);
}

gboolean
shareable_errand (const Run *run)
{
  return run->wrong == NULL && run->attempts == 0 && run->error == NULL && !run_is_planned (run)
         && !run_in_ranges (run) && !busy_has (run) && in_force_mode (run->job) != MODE_PLAN
         && json_object_get (run->cursor, "limit") == NULL
         && json_object_get (run->cursor, RUN_PORTION) == NULL
         && json_object_get (run->cursor, RUN_BY_ROWS) == NULL;
}

gboolean
shareable_run (const Run *run)
{
  return shareable_errand (run) && shareable_job (run->job);
}
