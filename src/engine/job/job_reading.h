/* The statements by which a job finds rows and decides about them: page, decide, and what counts.
 *
 * Of a job of the user they may change nothing (pg_statement_reading): what a function of theirs
 * removed would be neither counted nor recorded. One that locks rows is not held to that, since
 * PostgreSQL takes a lock for a change.
 *
 * Threads: any. Ownership: statements live as long as the process.
 */
#pragma once
#include "pg/pg.h"

/* NAME is that of a file, or begins with `[retention`. ANEW: as pg_statement_anew. */
const PgStatement *job_reading (const char *name, const char *text, gboolean anew, GError **error);
