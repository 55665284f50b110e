/* The statements by which a job finds rows and decides about them: page, decide, and what counts.
 *
 * Of a job of the user they may change nothing (pg_statement_reading): what a function of theirs
 * removed would be neither counted nor recorded. One that locks rows is not held to that, since
 * PostgreSQL takes a lock for a change.
 *
 * Threads: any. Ownership: statements live as long as the process.
 */
#pragma once
#include "engine/job/job.h"

/* NAME is that of a file, or begins with `[retention`. ANEW: as pg_statement_anew. */
const PgStatement *job_reading (const char *name, const char *text, gboolean anew, GError **error);
/* Makes page_until and page_split of JOB from the text PAGE of its page, which is called NAME.
 * ANEW: planned each time. */
gboolean job_reading_divide (Job *job, const char *name, const char *page, gboolean anew,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
