/* Ticks that ended `blocked` (something that their job needs is missing). The latest one of each
 * job and its arguments is stored in pruned.blocked, for `doctor` and the metrics, and retried
 * until it ends otherwise.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Call once a second: deletes entries that are settled, and retries those that are due. */
gboolean blocked_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
