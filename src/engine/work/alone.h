/* One run by itself: a step with rows, a job in C, or an errand.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/work/answer.h"

/* The run of the first of WORKS, which is the first of lane->pending; removed from there when it is
 * handled. */
Answer alone_run (Service *service, Pg *pg, Lane *lane, const GArray *works);
/* The step that lane->ahead names, once. Whatever comes of it, its message is still on its way, and
 * will tell. */
void alone_run_ahead (Service *service, Pg *pg, Lane *lane);
