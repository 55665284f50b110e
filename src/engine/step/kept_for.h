/* Why rows stay that an event has named: counted in the result of the run, by reason (STEP_KEPT).
 *
 * Threads: one worker, inside the step's transaction. Ownership: none.
 */
#pragma once
#include "engine/step/trial.h"

/* Kinds of a hold: by `pruned hold`, and what `pruned restore` has brought back. */
#define KEPT_HOLD "hold"
#define KEPT_RESTORED "restored"

/* Does nothing unless an event has named the rows of STEP's run. */
void kept_for_add (Step *step, const char *reason);
/* The rows WHICH that TRIAL has decided about, as WHAT, with their reasons. */
void kept_for_rows (Step *step, const JobWhat *what, const Trial *trial, const GArray *which);
