/* Errands: steps of two transactions, with a store in between (include/pruned/job.h). The first
 * leases rows, and the second settles them. Both paths have them as a stage. On the plain one,
 * steps of several lanes share both transactions, and the store is asked for all of them at once:
 * each lane is one partition and one run at a time, and a worker takes several that are ready.
 *
 * Threads: the worker that has all the lanes. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"
#include "engine/work/step_set.h"

/* The two halves of the steps of SET, one for each of LANES, whose runs it has claimed. */

/* Leases, commits and begins to act: the lanes are away. FALSE: step_set_roll_back. */
gboolean errands_lease (StepSet *set, Lane *const *lanes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* What the store has answered becomes the steps' results. The caller commits them. */
gboolean errands_settle (StepSet *set, Lane *const *lanes, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* LANE, whose message is taken, can go with others. */
gboolean errands_fit (Service *service, Lane *lane);
