/* One run by itself: a step with rows, a job in C, or an errand.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/work/answer.h"

/* The run of the first of WORKS, which is the first of lane->worker.pending; removed from there
 * when it is handled. */
Answer alone_run (Service *service, Pg *pg, Lane *lane, const GArray *works);
/* The step that lane->worker.ahead names, once. If it fails, its message, which is still on its
 * way, tries it again. */
void alone_run_ahead (Service *service, Pg *pg, Lane *lane);
