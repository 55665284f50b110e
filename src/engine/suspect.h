/* Messages that may have killed a process: tried one by one, each counted in PostgreSQL before it starts and removed at any orderly
 * end. One that has killed three processes within 72 hours is not tried again (DESIGN 3).
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/service.h"

typedef LaneNext (*SuspectHandle) (Service *service, Pg *pg, Lane *lane, gint64 *hold_us);

/* Handles the first of lane->pending with HANDLE, or buries it. */
LaneNext suspect_handle (Service *service, Pg *pg, Lane *lane, SuspectHandle handle, gint64 *hold_us);
