/* The third stage of users_destroy.h.
 *
 * Threads: a worker. Ownership: as Destroy.
 */
#pragma once
#include "destroy.h"

/* Counts and tells that the user is deleted. */
void users_destroy_announce (Destroy *destroy);
gboolean users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
