/* One range of several, which cannot see what the others change: each has its part of what the run
 * may change. If that is used up, or less may be changed by now, the run takes its ranges in and
 * goes on as one chain, with all that it may change.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* After a step of a range that has changed ROWS. FALSE: it is to be rolled back (BRAKE_RANGES). */
gboolean brake_within_range (Step *step, gint64 rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
