/* The topics of applications whose events start runs ([event NAME]). They are named as they are,
 * and never made here.
 *
 * Threads: any. Ownership: the caller's.
 */
#pragma once
#include "engine/job/job.h"

/* Those that the jobs which are enabled in CONFIG read, each once; of texts. */
GPtrArray *jobs_own_topics (const Jobs *jobs, const Config *config);
/* Of whom TOPIC is, if no event can be read from it; NULL: of an application. What pruned itself
 * reads cannot be read twice, and what it buries would come again. PREFIX: [topics] prefix, or
 * NULL. */
const char *own_topics_whose (const char *topic, const char *prefix);
