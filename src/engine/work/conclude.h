/* What happens around a transaction of steps, alone or together: the lines `Started` and
 * `Finished`, messages after the commit, the dispatcher's alarm clock.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"
#include "engine/step/step.h"

void steps_note_started (Step *step);
void steps_log_started (Step *step); /* once; when no transaction is open any more */
/* After the commit: messages (BUNDLE is taken), lines, alarm. */
void steps_conclude (Service *service, Lane *lane, GPtrArray *steps, Bundle **bundle);
/* N messages had no run at their step. */
void steps_note_stale (Service *service, const Lane *lane, double n);
