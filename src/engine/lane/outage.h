/* A dependency is down: the lane keeps its messages and waits. No attempt is charged to a run.
 *
 * clock/stop.c looks at PostgreSQL all the time and tells when it is away and when it is back. So
 * nobody else says it for each try.
 *
 * Threads: the worker that holds the lane; outage_*_told: any. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Logs it and counts it. PRUNED_FATAL ends the process. Returns LANE_HOLD, and the lane knows for
 * how long. */
LaneNext outage_hold (Service *service, Lane *lane, const GError *error);

/* From here on it is told, or not any more, that PostgreSQL is away. */
void outage_set_told (gboolean told);
/* ERROR, after FAILURES tries in a row that have failed before, need not be told: PostgreSQL is
 * away, and that is told already, or may be over with the next try. */
gboolean outage_is_told (const GError *error, guint failures);

/* The back-off after N outages in a row: up to 4 s, with jitter; in microseconds. */
gint64 outage_hold_us (guint outages);
