/* Finds constants of outcomes in job.conf (`outcome.reason = expired`) that say nothing.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "base/error.h"

/* ENTRIES: of KeyFileEntry, of the job.conf at PATH; their outcomes exist. PRUNED_FATAL:
 * `<path>:<line>: ...`, with the nearest field. */
gboolean job_conf_check_outcomes (const char *path, const GPtrArray *entries, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
