/* Watches for `pruned stop`, and for `pruned reload`: reads their rows of PostgreSQL twice a
 * second, on a connection and a thread of its own, so that neither a step nor the dispatcher delays
 * it. The fence (work/claim.c) reads the same row in each step's transaction. This thread does the
 * rest: no further request is sent to a store, and if the stop says so (`--now`), running steps are
 * cancelled.
 *
 * Invariant: stores are allowed requests for ALLOWED_US after the row was last read. So they end
 * even if PostgreSQL can no longer be asked.
 *
 * Threads: its own; new and free: main. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _StopWatch StopWatch;
/* NULL: PRUNED_OUTAGE, there is no thread for it. */
StopWatch *stop_watch_new (Service *service, GError **error);
/* Ends the thread; after all workers have ended. NULL: nothing. */
void stop_watch_free (StopWatch *watch);
