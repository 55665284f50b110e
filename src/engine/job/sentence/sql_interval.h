/* Intervals in expressions that users write.
 *
 * Threads: any.
 */
#pragma once
#include "base/error.h"

/* Whether no interval in the expression TEXT is a bare number: `interval '30'` and `'30'::interval`
 * are 30 seconds. PRUNED_FATAL names the first. */
gboolean sql_interval_has_units (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
