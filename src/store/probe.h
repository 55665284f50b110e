/* Whether a store can be reached, without changing anything in it.
 *
 * Threads: any; the call blocks for a few seconds at most.
 */
#pragma once
#include "config/config.h"

/* The local root is that of the store (store/root.h), and may be written to. BARE: nothing is in it (root_is_bare). */
gboolean probe_local (const Config *config, gboolean *bare, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The service answers for an object that is not there, and neither bucket nor credentials are at fault. */
gboolean probe_object (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
