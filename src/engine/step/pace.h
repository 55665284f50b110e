/* How much a step takes on. A step that takes too long is cut: rolled back, charged to nobody, and
 * done again with half of its rows, down to one. How many it may touch is `limit` in the run's
 * cursor, for jobs of all kinds; it doubles again with steps that are quick.
 *
 * Invariant: no step holds its transaction open for longer than PACE_MOST_US, nor, while it could
 * touch fewer rows, for longer than `budget_ms` (two seconds at least, so that a machine that is
 * busy cuts nothing). Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

#define PACE_MOST_US (18 * G_USEC_PER_SEC) /* no transaction is longer than 20 s */

/* The rows that RUN may touch in its next step: MOST, unless it has been cut. */
gint64 pace_limit (const Run *run, gint64 most);
/* The transaction of STEP begins: its time runs. */
void pace_begin (Step *step);
/* CAUSE is that of a statement that took too long, or of the transaction's time being over. */
gboolean pace_is_too_slow (const Step *step, const GError *cause);
/* STEP took too long: the limit of its next try, half of what it has tried, or a quarter of its
 * limit if nobody knows how many rows that was; 0: it cannot be less. */
gint64 pace_less (const Step *step);
/* STEP has done its work and goes on: what its next one may touch. */
void pace_go_on (Step *step);
/* Time until the next try after N failures before this one: n^4 + 15 + rand(0..9) * (n + 1) seconds
 * (docs/jobs/README.md, 8). */
gint64 pace_back_off_ms (int n);
