/* Whether a store can be reached, without changing anything in it.
 *
 * Threads: any; the call blocks for a few seconds at most.
 */
#pragma once
#include "config/config.h"
#include "store/root.h"

/* The local root is that of the store, and may be written to. LOOK: what is in it. */
gboolean probe_local (const Config *config, RootLook *look, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The service answers for an object that is not there, and neither bucket nor credentials are at
 * fault. */
gboolean probe_object (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
