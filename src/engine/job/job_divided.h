/* The statements of a job that work off a part of what its page finds, made from the text of the
 * page.
 *
 * Threads: any. Ownership: the statements live as long as the process.
 */
#pragma once
#include "engine/job/job.h"

/* Makes page_until and page_split of JOB from the text PAGE of its page, which is called NAME.
 * ANEW: planned each time. */
gboolean job_divided_load (Job *job, const char *name, const char *page, gboolean anew,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
