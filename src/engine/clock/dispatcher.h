/* The room of the clock: work that time triggers: due runs, cron, lost messages, and keeping the
 * service's tables small. It uses the rooms before it.
 *
 * The dispatcher: due runs become messages, and cron fires; what is not about a time that has come
 * is housekeeping (housekeeping.h). One thread of each per process; processes share the work by row
 * locks, without a leader.
 *
 * Invariant: a run that is due waits for no answer of the broker, and not for cron.
 * Threads: main calls; the work is done on a thread of its own. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

/* Starts its thread. NULL: PRUNED_OUTAGE, there is none. */
Dispatcher *dispatcher_new (Service *service, GError **error);
/* Waits for the thread and frees. NULL: nothing. */
void dispatcher_stop (Dispatcher *dispatcher);
