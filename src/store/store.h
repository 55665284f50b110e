/* The stores of this process, made from `[store.*]`. Jobs use pruned/store.h.
 *
 * Threads: stores_start and stores_stop: main, before the others start and after they have ended.
 * Ownership: see each function.
 */
#pragma once
#include "base/error.h"
#include "config/config.h"
#include "pruned/store.h"

/* OWN_BUCKET: [store.object] must name a bucket if it names an endpoint, because a job uses it.
 * CONFIG must live until stores_stop. PRUNED_FATAL names the setting. Threads of the stores are
 * started when first used. */
gboolean stores_start (const Config *config, gboolean own_bucket, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void stores_stop (void);
