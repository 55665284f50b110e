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
/* FALSE: PRUNED_OUTAGE, there are not N threads; those that run are joined as all are. */
gboolean workers_start (Workers **workers, Service *service, guint n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* After lanes_stop: waits for all, frees. NULL: nothing. */
void workers_join (Workers *workers);
