/* Whether a placeholder user may go (docs/jobs/users.delete_placeholder.md): asked by the job that
 * hands him over, and again by the one that removes him, since days may lie between the two.
 *
 * Threads: one worker, inside the step's transaction. Ownership: rows are the caller's.
 */
#pragma once
#include "pruned/job.h"

#define PLACEHOLDER_JOB "users.delete_placeholder"
/* The argument `reason` of the run that removes him. */
#define PLACEHOLDER_REASON "Placeholder user"

/* Who he is: `username`; no row: nobody. He is locked. */
PgRows *placeholder_find (Step *step, const char *user, GError **error);
/* Why he is not to be deleted whoever refers to him, or NULL. FOUND by placeholder_find. */
const char *placeholder_why_not (const PgRows *found);
/* The first reference to him (`table`, `column`), or no row. Looks where
 * [jobs.users.delete_placeholder] references says, whoever asks. */
PgRows *placeholder_reference (Step *step, const char *user, GError **error);
