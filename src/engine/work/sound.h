/* Which runs may share a transaction.
 *
 * Threads: any. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/ledger/run.h"

gboolean sound_job (const Job *job);
/* A run that has failed or waited before, that was cut, or that is only planned would spoil the
 * transaction of the others. */
gboolean sound_run (const Run *run);
/* The same, of a job with an errand (errands.h). */
gboolean sound_errand (const Run *run);
