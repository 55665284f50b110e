/* Which runs may share a transaction.
 *
 * Threads: any. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/ledger/run.h"

gboolean shareable_job (const Job *job);
/* A run that has failed or waited before, that was cut, or that is only planned would spoil the
 * transaction of the others. */
gboolean shareable_run (const Run *run);
/* The same, of a job with an errand (errands.h). */
gboolean shareable_errand (const Run *run);
