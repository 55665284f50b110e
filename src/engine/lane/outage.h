/* A dependency is down: the lane keeps its messages and waits, and nothing is charged to a run.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Says so, and counts it; PRUNED_FATAL ends the process. The caller holds the lane. */
void outage_note (Service *service, Lane *lane, const GError *error);

/* How long a lane waits after N outages in a row: up to 4 s, with jitter; microseconds. */
gint64 outage_hold_us (guint outages);

/* Sends BUNDLE until every message is acknowledged, or the lane must be given up (then the outbox
 * has it). */
void outage_publish (Service *service, Lane *lane, Bundle *bundle);
