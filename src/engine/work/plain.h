/* The plain path: runs that share a transaction, in one try and without savepoints. They are those
 * of a lane: runs whose page is empty end by being looked at; those with few rows are stepped as
 * one, or one after the other. Or they are errands, one of each of several lanes, which begin
 * together or are settled together (errands.h).
 *
 * Invariant: what one run does in a shared transaction is what it would do by itself. If a step
 * fails, everything is rolled back and that run goes the careful path; nothing is charged to
 * anybody.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Whether runs of the lane's job can share a transaction. */
gboolean plain_can (const Lane *lane);
/* Steps some of the runs that WORKS (of Work) name, which are the first of the pending work of the
 * one lane of LANES. Of errands, LANES has a lane for each, and all are stepped or none. Handled
 * messages are removed from there; those of runs that must go the careful path are marked. FALSE
 * with ERROR set: everything is rolled back, and it is not known which run is at fault. */
gboolean plain_run (Service *service, Pg *pg, Lane *const *lanes, const GArray *works,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
