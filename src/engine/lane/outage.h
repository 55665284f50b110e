/* A dependency is down: the lane keeps its messages and waits. No attempt is charged to a run.
 *
 * Threads: the worker that holds the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Logs it and counts it. PRUNED_FATAL ends the process. The caller holds the lane. */
void outage_note (Service *service, Lane *lane, const GError *error);

/* The back-off after N outages in a row: up to 4 s, with jitter; in microseconds. */
gint64 outage_hold_us (guint outages);
