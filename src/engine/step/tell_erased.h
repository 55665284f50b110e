/* Rows of a job with `remember` that a step has removed or changed: each gets its entry in the
 * ledger of erasures, in the bundle of the step's transaction (outbox/remember.h).
 *
 * Threads: one worker, inside the transaction. Ownership: none.
 */
#pragma once
#include "engine/step/trial.h"

/* WHICH: the rows (int) of TRIAL that became WHAT. */
void tell_erased (Step *step, const JobWhat *what, const Trial *trial, const GArray *which);
