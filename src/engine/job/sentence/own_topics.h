/* The topics of applications whose events start runs ([event NAME]). They are named as they are,
 * and never made here.
 *
 * Threads: any. Ownership: the caller's.
 */
#pragma once
#include "engine/job/job.h"

/* Those that the jobs which are enabled in CONFIG read, each once; of texts. */
GPtrArray *jobs_own_topics (const Jobs *jobs, const Config *config);
