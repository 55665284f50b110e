/* How many rows go or change with those that a job removes, as far as it can be asked before: by
 * the statement that counts what is below the rows of a sentence (sentence_below.h). For a job of
 * files that is the statement of a sentence which deletes the rows of its table, with the other
 * tables that the files of the word delete from as children. Rows that triggers change, and rows of
 * tables that this role may not read, are not among them (src/cli/plan_unseen.h).
 *
 * Threads: that of the connection. Ownership: the caller has the array; statements live as long as
 * the process.
 */
#pragma once
#include "engine/job/job.h"

/* One (PgStatement, or NULL: there are none) for each of JOB's `whats`; with the parameter `:key`,
 * it returns `table`, `own`, `emptied` and `n`. JOB: complete. In a transaction. */
GPtrArray *foreseen_read (Pg *pg, const Job *job, GError **error);
/* The same of the rows of its table that a job in C names in rows.sql, up to `:limit` of them.
 * *COUNTS: NULL, it has no such file, or there are none. In a transaction. */
gboolean foreseen_read_rows (Pg *pg, const Job *job, const PgStatement **counts, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
