/* The counter of rows that failed (`[failed] counter` of job.conf) counts nothing else: they would
 * look removed, or be counted twice.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "base/error.h"

/* ENTRIES: of KeyFileEntry, of the job.conf at PATH. PRUNED_FATAL: `<path>:<line>: ...`. */
gboolean job_conf_check_counter (const char *path, const GPtrArray *entries, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
