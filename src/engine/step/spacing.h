/* The place of a row within its whole run, for jobs with `spacing` in job.conf: their children
 * start one after another. The run's progress keeps when its first page began (`began_at`) and how
 * many keys its earlier pages had (`index`).
 *
 * Threads: one worker. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/ledger/run.h"

/* Sets in BEHIND, the progress behind a page of RUN with N_KEYS keys, what the next page needs. */
void spacing_advance (const Run *run, int n_keys, RunProgress *behind);
/* Binds `index` and `began_at` where STATEMENT wants them. */
void spacing_bind (const Run *run, const PgStatement *statement, PgValues *values);
