/* The room of the clock: work that time triggers: due runs, cron, lost messages, and keeping own
 * tables small. It uses all other rooms.
 *
 * The dispatcher: due runs become messages, messages that a crash left unpublished are sent, lost
 * messages are found, cron fires, ended runs go to the archive. One thread per process; processes
 * share the work by row locks, without a leader.
 *
 * Invariant: a time-out alone never makes a message count as lost (docs/rules.md, docs/facts.md).
 * Threads: main calls; the work is done on a thread of its own. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Dispatcher Dispatcher;

Dispatcher *dispatcher_new (Service *service); /* starts its thread */
void dispatcher_stop (Dispatcher *dispatcher); /* waits for the thread and frees */
