/* A batch that cannot be unpacked is passed over: it is damaged, or it would take more memory than
 * a batch may (kafka/unpack.h). Nothing of it is known but its offsets, so there is no letter in
 * the dead topic. They are stored (`pruned.lost_messages`), logged and counted as lost, and `pruned
 * doctor` names them with what to do. Messages of work are sent again from PostgreSQL.
 *
 * Invariant: what is before the batch was handled, and only offsets of the batch are passed over.
 * Threads: the worker that holds the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* LANE has no message pending, and the next batch may be one. LANE_AGAIN: it was passed over.
 * Else
 * LANE_DONE: it is not, or LANE_HOLD. */
LaneNext unread_pass_over (Service *service, Pg *pg, Lane *lane);
