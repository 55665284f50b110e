/* What a job's folder must have, to do what it says.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "engine/job/job.h"

/* JOB, whose files are loaded, has what its form wants. PRUNED_FATAL names the place. */
gboolean job_folder_is_whole (const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
