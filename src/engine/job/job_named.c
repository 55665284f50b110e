/* Jobs whose rows events of an application name. */
#include "engine/job/job.h"

gboolean
job_names_rows (const Job *job)
{
  return job->on != NULL && job->on[0] != NULL;
}

gboolean
job_only_names_rows (const Job *job)
{
  return job_names_rows (job) && !job->by_tick;
}
