/* What the daemon answers over HTTP: metrics of this process and of the tables, liveness,
 * readiness. Threads: main starts and stops; answers on threads of the server's, which share a
 * database connection; only the figures of the tables and readiness wait for it, a few seconds at
 * most. Ownership: main.
 */
#pragma once
#include "config/config.h"
#include "engine/job/job.h"

typedef struct _Pages Pages;
/* NULL without an error: `[http] listen` is empty. JOBS and CONFIG are borrowed. */
Pages *pages_start (const Config *config, const Jobs *jobs, GError **error);
void pages_stop (Pages *pages); /* NULL: nothing */
