/* Finds what job.conf says in vain: keys, groups and records that do not exist.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "engine/job/job.h"

/* TEXT: of the job.conf at PATH. PRUNED_FATAL: `<path>:<line>: ...`, with the nearest name. */
gboolean job_conf_check (const char *path, const char *text, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Every folder below apply/ must have its group. PRUNED_FATAL names the folder. */
gboolean job_conf_check_apply (const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
