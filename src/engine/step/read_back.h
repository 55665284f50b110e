/* Whether the audit has the rows as they were.
 *
 * Until a process knows it of a job's version and a table as it is defined, the statement that
 * removes or changes rows of that table also reads its records back and compares them with the rows
 * (job_files_audit.c; schemas/postgres/038-records.sql). A value that would not come back blocks
 * the run: nothing goes. What is known is remembered; a table with other columns is looked at
 * again.
 *
 * Built-in jobs record texts where JSON is another value. Which columns these are, the first
 * statement finds out; later ones are told (`:texts`).
 *
 * Invariant: no transaction commits rows of a job's version and a table without such a look before,
 * or in it.
 *
 * Threads: any; what is remembered has a lock. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* `:proven` and `:texts` of STATEMENT, if it wants them. */
void read_back_bind (const Step *step, const PgStatement *statement, PgValues *values);
/* Notes what a statement has answered: ROWS. FALSE: a value would not come back, and the run is
 * blocked; or the table was altered meanwhile, and the step is to be done again (PRUNED_BUSY). */
gboolean read_back_take (Step *step, const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;
