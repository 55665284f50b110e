/* Says when the daemon is idle: nothing is left that would happen by itself (`run --until-idle`,
 * docs/rules.md).
 *
 * Threads: main.
 */
#pragma once
#include "engine/service/service.h"

/* Every partition read to its end, nothing ready, due or unpublished. Looks at most every 20 ms:
 * *LOOKED_US (monotonic; 0 at first) is when it did. */
gboolean idle_reached (Service *service, gint64 *looked_us);
