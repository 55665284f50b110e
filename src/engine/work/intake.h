/* Ticks and events become run rows: a batch with one statement, its offset in the same transaction,
 * its work messages after it.
 *
 * Invariant: `pruned.intake` says exactly which messages have their rows; dead letters are
 * acknowledged before it says so. Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Handles up to MAX of lane->pending from its front. LANE_HOLD: *HOLD_US says how long. */
LaneNext intake_handle (Service *service, Pg *pg, Lane *lane, guint max, gint64 *hold_us);

/* The first of lane->pending goes to the dead topic with REASON, and the position past it. */
gboolean intake_bury (Service *service, Pg *pg, Lane *lane, const char *reason, int attempts,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Where the lane begins, before its first take: the lower of what PostgreSQL and the consumer group
 * say (docs/rules.md, invariant 7). */
gboolean intake_start (Service *service, Pg *pg, Lane *lane, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
