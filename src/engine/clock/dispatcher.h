/* The room of the clock: work that time triggers: due runs, cron, lost messages, and keeping own
 * tables small. It uses the rooms before it, mainly the service, jobs and the ledger.
 *
 * The dispatcher: due runs become messages, and cron fires; what is not about a time that has come
 * is housekeeping (housekeeping.h). One thread of each per process; processes share the work by row
 * locks, without a leader.
 *
 * Invariant: a run that is due waits for no answer of the broker.
 * Threads: main calls; the work is done on a thread of its own. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Dispatcher Dispatcher;

Dispatcher *dispatcher_new (Service *service); /* starts its thread */
void dispatcher_stop (Dispatcher *dispatcher); /* waits for the thread and frees */
