/* The job of a run of `pruned reapply`: the same sentence, but its rows are those that the run
 * names
 * (`pruned.reapply`), as long as they are not younger than their erasure. What an event has asked
 * for asks its `where` again, as the event would; else the ledger has the place of `where`, which
 * held when the row went.
 *
 * Threads: any. Ownership: what is made lives as long as the process.
 */
#pragma once
#include "engine/job/job.h"

/* The argument of such a run: since when rows went that it takes again. */
#define AGAIN_SINCE "reapply"

/* What does a run of JOB with ARGS: JOB, or that. A job that remembers no rows has none, and
 * refuses the argument. */
const Job *sentence_again_job (const Job *job, const json_t *args);
/* JOB is that of such a run. */
gboolean sentence_is_again (const Job *job);
/* Before JOB is freed. */
void sentence_again_forget (const Job *job);
