/* Ticks and events become rows of runs: a batch and its offset in one transaction, its work
 * messages after the commit.
 *
 * Invariant: the offset in `pruned.intake` says exactly which messages have their rows; dead
 * letters are acknowledged before it moves.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Handles up to MAX of lane->worker.pending from its front. */
LaneNext intake_handle (Service *service, Pg *pg, Lane *lane, guint max);

/* Sends the first of lane->worker.pending to the dead topic with REASON, and moves the offset past
 * it. */
gboolean intake_bury (Service *service, Pg *pg, Lane *lane, const char *reason, int attempts,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Seeks to where the lane begins, before its first take: the lower of PostgreSQL's offset and the
 * consumer group's (docs/rules.md, invariant 7). */
gboolean intake_start (Service *service, Pg *pg, Lane *lane, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
