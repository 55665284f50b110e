/* The plain path: runs of a lane that share a transaction, in one try and without savepoints. Those
 * whose page is empty end by being looked at; those with few rows are stepped as one, or one after
 * the other.
 *
 * Invariant: what one run does in a shared transaction is what it would do alone. If a step fails,
 * everything is rolled back and that run goes alone; nothing is charged to anybody.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Whether runs of the lane's job can share a transaction. */
gboolean plain_can (const Lane *lane);
/* Steps some of the runs that WORKS name, which are the first of lane->worker.pending. Handled
 * messages are removed from there; those of runs that must go alone are marked. FALSE with ERROR
 * set: everything is rolled back, and it is not known which run is at fault. */
gboolean plain_run (Service *service, Pg *pg, Lane *lane, const GArray *works, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
