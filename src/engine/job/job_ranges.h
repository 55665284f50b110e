/* Which jobs can work in several lanes at once.
 *
 * A run of such a job is divided by its cursor (engine/work/divide.h). So its rows must not depend
 * on the order in which they go, and what its page finds must not depend on earlier pages.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "engine/job/job.h"

/* Why `ranges` of JOB cannot be more than 1; NULL: it can. */
const char *job_ranges_refusal (const Job *job);
/* In how many lanes CONFIG lets a run of JOB work at once, at least 1. `ranges = 0` is one for each
 * processor, at most 4. */
int job_ranges (const Job *job, const Config *config);
