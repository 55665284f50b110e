/* A bot that is still needed: a deletion that it has asked for has begun, and checks its rights
 * until the end, so the bot goes after it.
 *
 * Threads: a worker. Ownership: as Destroy.
 */
#pragma once
#include "destroy.h"

/* *WAITS: the run waits for the end of a deletion, and nothing is changed. */
gboolean users_destroy_wait_for_groups (Destroy *destroy, gboolean *waits, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
