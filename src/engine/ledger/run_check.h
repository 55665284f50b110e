/* Whether a run is one that its job takes. It was placed by what some process knew of the job then,
 * or by one that knew only its name (elsewhere.h).
 *
 * Threads: any. Ownership: the run's.
 */
#pragma once
#include "engine/ledger/run.h"

/* Sets `wrong` of a run whose first step begins if it is none. */
void run_check_asked (Run *run);
