/* The careful path: one run in a transaction of its own, with savepoints, bisection and quarantine:
 * a step with rows, of a job in C, of partitions, or half of an errand.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/work/answer.h"

/* Steps the run of WORK, which is the first of lane->worker.pending; removed from there when it is
 * handled. */
LaneNext careful_run (Service *service, Pg *pg, Lane *lane, const Work *work);
