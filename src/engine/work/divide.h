/* A run that works in several lanes at once (`ranges`). A step divides the rows that its page finds
 * next, by the cursor. The first range stays with the run; each other one is a row of its own with
 * its own lane (`range_of`), which has all that a step needs: fence, cursor, result, outbox.
 * Seen from outside they are one run: audit, outcomes and log lines have its id. Range N numbers
 * its steps from N times RANGE_STEPS, so that no two steps of the run have one number.
 *
 * At the end of its own range the run takes the others in: it waits until they have ended, adds
 * their results to its own and deletes their rows. What they have left, it does itself. A range
 * leaves something if one of its steps failed for another reason than a lock, or if it may change
 * no more rows. So retries, limits, approval and death are the run's alone.
 *
 * Invariant: each key that the page found when the run was divided is in one range.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"
#include "engine/step/step.h"

#define RANGE_STEPS 100000000

/* Before a step of a run in ranges. *DONE: it is one that takes ranges in, or gives a range back,
 * and has no page. */
gboolean divide_before (Step *step, gboolean *done, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After a step of such a run, or of one that may be divided, and after the brakes: divides the run,
 * or ends its range. */
gboolean divide_after (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The range RUN ends in the open transaction of PG: its run looks, if it waits for that. */
gboolean divide_wake (Pg *pg, const Run *run, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A brake has stopped the step (BRAKE_RANGES): the range gives back what is left of it, or the run
 * takes its ranges in. In a transaction of its own. */
gboolean divide_give_way (Service *service, Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
