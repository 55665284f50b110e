/* Whether a run is one that its job takes. It was placed by what some process knew of the job then,
 * or by one that knew only its name (elsewhere.h); and a run that has begun can go on with another
 * version: one that waits for its row (step/row_again.h), or that `pruned retry` repeats.
 *
 * Threads: any. Ownership: the run's.
 */
#pragma once
#include "engine/ledger/run.h"

/* Sets `wrong` of a run if it is none; of a tick's, when its first step begins. */
void run_check_asked (Run *run);
