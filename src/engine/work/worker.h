/* The room of work: threads that take a lane's messages, claim their runs, have them stepped, and
 * decide what follows a failure. It uses the rooms before it, mainly steps and lanes.
 *
 * The workers take lanes and handle their messages, each on a thread and a connection of its own.
 * The first takes lanes of intake only.
 *
 * Invariant: an offset is stored when everything below it is handled.
 *
 * Threads: made and joined by main. Ownership: engine.c.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Workers Workers;
Workers *workers_new (Service *service, guint n);
/* After lanes_stop: waits for all, frees. */
void workers_join (Workers *workers);
