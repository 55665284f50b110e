/* Whether a placeholder user may be removed (docs/jobs/users.delete_placeholder.md). The job that
 * hands the user over checks it, and so does users.destroy, because days can lie between the two.
 *
 * Threads: one worker, inside the step's transaction. Ownership: rows are the caller's.
 */
#pragma once
#include "pruned/job.h"

#define PLACEHOLDER_JOB "users.delete_placeholder"
/* The argument `reason` of the run that removes the user. */
#define PLACEHOLDER_REASON "Placeholder user"
/* A run that dies or is discarded abandons the details, too (JobCode.on_failure). */
#define PLACEHOLDER_ENDED "../shared/abandoned_ended"

/* Locks the user and their details, so that what it says holds until the step ends: `username` and
 * what placeholder_why_not asks. No row: there is no such user. */
PgRows *placeholder_find (Step *step, const char *user, GError **error);
/* Why the user must stay, whatever refers to them; NULL: they may go. FOUND by placeholder_find. */
const char *placeholder_why_not (const PgRows *found);
/* The first reference to the user (`table`, `column`), or no row, among the columns of
 * [jobs.users.delete_placeholder] references. STAMP: the catalogue's. */
PgRows *placeholder_reference (Step *step, const char *stamp, const char *user, GError **error);
/* USER stays for REASON: lists details that had their last attempt as abandoned, and counts them.
 */
gboolean placeholder_abandon (Step *step, const char *user, const char *reason, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
