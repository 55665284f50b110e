/* The step of an erasure (job/job_erasure.h). It removes no row. It starts a run of each of its
 * jobs, in their order, and ends when all of these have ended, with the one outcome
 * ErasureFinished.
 *
 * The next job begins once the one before has tried all of its rows: rows that refer to others go
 * before these, and a row that fails keeps no other table waiting. None begins unless all can: then
 * nothing is half done for a table that is missing.
 *
 * Between two steps the run waits for its runs (`waits_for` says STEP_WAITS_FOR_RUNS), and the
 * dispatcher finds out when they let it go on (erasure_goes_on.sql). The step looks at them itself,
 * behind the fence of its own run: so its end is told once, however often and by whomever it was
 * woken. Its unique key ends when the first job begins: from then on its event cannot be withdrawn.
 *
 * It ends `finished`, or `dead` if a table failed; then `pruned retry` lets it look again.
 *
 * Threads: one worker, inside the step's transaction. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

gboolean erasure_step (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
