/* The room of the clock: what happens because it is time: due runs, cron, lost messages, what keeps
 * own tables small. It uses all other rooms.
 *
 * The dispatcher: due runs become messages, what a crash left unpublished is sent, lost messages
 * are found, cron fires, ended runs go to the archive. One thread a process; processes share the
 * work by row locks, without a leader.
 *
 * Invariant: nothing is taken for lost because of a time-out alone (docs/rules.md, docs/facts.md).
 * Threads: as said. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Dispatcher Dispatcher;

Dispatcher *dispatcher_new (Service *service); /* starts its thread */
void dispatcher_stop (Dispatcher *dispatcher); /* waits for the thread and frees */
