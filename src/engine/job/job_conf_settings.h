/* A job reads the settings that its job.conf gives values to: a default that nothing reads would be
 * passed over in silence.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "engine/job/job.h"

/* JOB has been read from TEXT, the job.conf at PATH. Names in `settings` are settings of jobs, and
 * each of these that has a value is read (job_reads). PRUNED_FATAL: `<path>:<line>: ...`. */
gboolean job_conf_check_settings (const Job *job, const char *path, const char *text,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
