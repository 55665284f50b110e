/* How many rows a step may touch: the limit of the run's progress, for jobs of all kinds.
 *
 * A step that is done but took longer than `target_step_ms` halves the limit: the next one may
 * touch half of the rows that it had. One that took less than half of that raises it by a tenth of
 * the job's page, and at most doubles it, until it is the whole page again. A step that takes far
 * too long is cut: rolled back, not charged, and repeated with half of its rows, down to one.
 *
 * Invariant: no step holds its transaction open for longer than PACE_MOST_US. A step that could
 * touch fewer rows is cut after `budget_ms`, but not before two seconds, so that a busy machine
 * cuts nothing.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

#define PACE_MOST_US (18 * G_USEC_PER_SEC) /* no transaction is longer than 20 s */

/* The rows that RUN may touch in its next step: its job's `batch`, or fewer if it has been cut. */
int pace_page_limit (const Run *run);
/* The same of MOST rows that it may touch if it has not been cut; fewer if they are wide
 * (weight.h).
 */
gint64 pace_limit_within (const Run *run, gint64 most);
/* The transaction of N steps begins, and with it its deadline. */
void pace_begin (Step *const *steps, guint n);
/* N steps, which are done as one, follow others in a shared transaction: they wait less long for a
 * lock, and have little time, because the rows of the others stay locked. */
gboolean pace_begin_next (Step *const *steps, guint n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* N steps of a shared transaction, begun at BEGAN_US, are done as one; others may follow. Each has
 * its part of the time, which is returned. */
gint64 pace_end (Step *const *steps, guint n, gint64 began_us);
/* The N steps of a transaction that began at BEGAN_US are done: each has its part of the time. */
void pace_divide (Step *const *steps, guint n, gint64 began_us);
/* All steps of a shared transaction are done: the time for what follows. */
void pace_settle (const Step *first);
/* Is CAUSE a statement that took too long, or the transaction's deadline? */
gboolean pace_is_too_slow (const Step *step, const GError *cause);
/* The limit of the next try of STEP, which took too long: half of what it tried, or a quarter of
 * its limit if that is not known. 0: it is one row already. */
gint64 pace_less (const Step *step);
/* The limit after a step that was allowed LIMIT rows of a page of MOST, HAD so many (0: not known),
 * took TOOK_US and should take GOAL at most, microseconds. MOST or more: none. */
gint64 pace_next_limit (gint64 limit, gint64 had, gint64 most, gint64 took_us, gint64 goal);
/* STEP is done and the run continues: sets the limit of its next step. */
void pace_continue (Step *step);
/* Time until the next try after N failures before this one: n^4 + 15 + rand(0..9) * (n + 1) seconds
 * (docs/jobs/README.md, 8). */
gint64 pace_back_off_ms (int n);
