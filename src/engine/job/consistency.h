/* What `data_consistency` says: how fresh the pages of a job have to be.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include "base/error.h"

/* PRUNED_FATAL: TEXT is none of always, sticky and delayed. */
gboolean consistency_check (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Pages can be searched on a standby. TEXT NULL: no. */
gboolean consistency_is_sticky (const char *text);
