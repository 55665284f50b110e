/* Whether the audit has the rows as they were.
 *
 * Until a process knows it of a job's version and a table as it is defined, the sibling of the
 * statement that removes or changes rows of that table is run in its place: it also reads its
 * records back and compares them with the rows (job_files_audit.c;
 * schemas/postgres/039-records.sql). A value that would not come back blocks the run: nothing goes.
 * What is known is remembered, and costs the statements behind it nothing. One that finds a table
 * that was altered fails (40001), and the step is done again with the sibling.
 *
 * Built-in jobs record texts where JSON is another value. Which columns these are, the first
 * statement finds out; later ones are told, if there are any.
 *
 * Invariant: no transaction commits rows of a job's version and a table without such a look before,
 * or in it.
 *
 * Threads: any; what is remembered has a lock. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* STATEMENT, or its sibling, which is to be run in its place. */
const PgStatement *read_back_statement (Step *step, const PgStatement *statement);
/* `:audit.proven` and `:audit.texts` of STATEMENT, if it wants them. */
void read_back_bind (Step *step, const PgStatement *statement, PgValues *values);
/* Notes what a statement has answered: ROWS. FALSE: a value would not come back, and the run is
 * blocked. */
gboolean read_back_take (Step *step, const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* What a step of JOB failed with (40001) can be that a table was altered. FALSE: nothing was known.
 */
gboolean read_back_forget (const Job *job);
