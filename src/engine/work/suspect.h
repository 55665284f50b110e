/* Messages that may have killed a process: the first batch after an assignment. If none of it was
 * there when a process died, it is counted in PostgreSQL as one and handled as any other; else its
 * messages are tried one by one, each counted before it starts and removed at any orderly end. One
 * that has killed three processes within 72 hours is not tried again (docs/rules.md).
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

typedef LaneNext (*SuspectHandle) (Service *service, Pg *pg, Lane *lane, gint64 *hold_us);

/* Once an assignment: what was counted before the first message that it brings (or before the end,
 * if it brings none) is forgotten. */
void suspect_forget (Pg *pg, Lane *lane);
/* Handles some of lane->pending with HANDLE; sets lane->one_by_one if a process died with one of
 * them. */
LaneNext suspect_handle_together (Service *service, Pg *pg, Lane *lane, SuspectHandle handle,
                                  gint64 *hold_us);
/* Handles the first of lane->pending with HANDLE, or buries it. */
LaneNext suspect_handle (Service *service, Pg *pg, Lane *lane, SuspectHandle handle,
                         gint64 *hold_us);
