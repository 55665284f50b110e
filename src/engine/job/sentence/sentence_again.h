/* The job of a run of `pruned reapply`: the same sentence, but its rows are those that the run
 * names
 * (`pruned.reapply`), as long as they are not younger than their erasure. What an event has asked
 * for asks its `where` again, as the event would; else the ledger has the place of `where`, which
 * held when the row went.
 *
 * Of a job of SQL files or in C it is a sentence about one of the tables from which the job has
 * removed rows. The job itself would ask a mark, a schedule or an end again, which the older
 * database need not have, and would change other rows. So exactly the rows go that the run names.
 *
 * Threads: any. Ownership: what is made lives as long as the process.
 */
#pragma once
#include "engine/job/job.h"

/* The arguments of such a run: since when rows went that it takes again; and, of what is no
 * sentence, of which table. */
#define AGAIN_SINCE "reapply"
#define AGAIN_TABLE "table"
/* The column that says when a row was made, of a table of which the job does not say it. Where
 * there is none, it is not known. */
#define AGAIN_BORN "created_at"

/* What does a run of JOB with ARGS: JOB, or that. A job that remembers no rows has none, and
 * refuses the argument. */
const Job *sentence_again_job (const Job *job, const json_t *args);
/* The same of JOB, as it was loaded, that remembers rows. TABLE: as the ledger has it. */
const Job *sentence_again_about (const Job *job, const char *table);
/* JOB is that of such a run. */
gboolean sentence_is_again (const Job *job);
/* Before JOB is freed. */
void sentence_again_forget (const Job *job);
