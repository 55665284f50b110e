/* Once a second: lost and left messages, what has changed in the database or the settings, blocked
 * ticks, the throttle's look, this process's row, and keeping own tables small: a table of parts
 * (chores.h). On a thread and a connection of its own, because it asks the broker and reads much,
 * and due runs must not wait for that.
 *
 * Threads: main calls; the work is done on a thread of its own. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

/* Starts its thread. NULL: PRUNED_OUTAGE, there is none. */
Housekeeping *housekeeping_new (Service *service, GError **error);
/* Waits for the thread and frees. NULL: nothing. */
void housekeeping_stop (Housekeeping *housekeeping);
