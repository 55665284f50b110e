/* The stamp of the catalogue for a job about one user: what the catalogue answers is kept under it
 * (step_query_kept).
 *
 * Invariant: the stamp changes when one of the columns that the job names comes or goes
 * (catalogue.sql).
 * It is read once in a transaction, which small runs share for a tenth of a second.
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "pruned/job.h"

/* The beginning of each step: the setting of one_user.sql and the stamp, both of its transaction.
 * FILE returns the named columns of the lists OWN and ALSO, which can be NULL. Free the stamp with
 * g_free. */
char *stamp_begin (Step *step, const char *file, const char *own, const char *also, GError **error);
