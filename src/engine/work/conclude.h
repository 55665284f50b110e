/* What happens around a transaction of steps, alone or together: the lines `Started` and
 * `Finished`, messages after the commit, and the dispatcher's wake-up.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"
#include "engine/step/step.h"

void conclude_note_started (Step *step);
void conclude_log_started (Step *step); /* once; after the transaction has ended */
/* The run of STEP has ended in STATE with RESULT, its totals. Those of a run of one step are in its
 * line `Finished`. */
void conclude_log_ended (Step *step, const char *state, const json_t *result);
/* After the commit: sends messages (takes BUNDLE), logs, sets the dispatcher's wake-up. */
void conclude_steps (Service *service, Lane *lane, GPtrArray *steps, Bundle **bundle);
/* The first of LANE's pending work is handled, and with it the lane's errand. */
void conclude_first (Service *service, Lane *lane);
/* Counts N stale messages: their runs are at another step. */
void conclude_note_stale (Service *service, const Lane *lane, double n);
