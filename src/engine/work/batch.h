/* The work of a lane: a batch of work messages becomes steps. Several runs go the plain path
 * (plain.h); a single message, a run that has failed and an errand go the careful one (careful.h).
 * Failures are answered by verdict (answer.c).
 *
 * Invariant: a message is handled when its step is committed and everything it publishes is
 * acknowledged, or when it is known to be stale. Two exceptions: errands that settle together
 * wait in the first lane only, and after a commit whose outcome is not known the message is stale;
 * for both, the rows of pruned.unpublished carry what was to be published.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Handles some of lane->worker.pending, from its front. Handled messages are removed. LANE_HOLD:
 * *HOLD_US says how long. */
LaneNext batch_handle (Service *service, Pg *pg, Lane *lane, gint64 *hold_us);
