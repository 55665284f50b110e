/* `settings` of job.conf names settings, and those of ticks have a value only where ticks start the
 * job: they would be passed over in silence.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "engine/job/job.h"

/* JOB has been read from TEXT, the job.conf at PATH. PRUNED_FATAL: `<path>:<line>: ...`. */
gboolean job_conf_check_settings (const Job *job, const char *path, const char *text,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
