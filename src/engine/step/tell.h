/* The outcomes of rows, made from what was decided about them: while PostgreSQL still works on
 * their effects, or when the try stands.
 *
 * Invariant: the bundle of a step has no outcomes of a try that was rolled back.
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/trial_rows.h"

/* The rows WHICH of TRIAL are decided as WHAT and changed; their other effects are on their way. */
void tell_ahead (Step *step, const JobWhat *what, Trial *trial, const GArray *which);
/* TRIAL does not stand. */
void tell_nothing (Step *step, Trial *trial);
/* TRIAL stands, and WHICH are all its rows of WHAT. */
void tell_rest (Step *step, const JobWhat *what, const Trial *trial, const GArray *which);
