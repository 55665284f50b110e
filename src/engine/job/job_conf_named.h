/* A folder whose rows events of an application name (`on` in job.conf): each of its words answers
 * such an event.
 *
 * Threads: main, when it loads jobs. Ownership: the Job owns what is added.
 */
#pragma once
#include "engine/job/job.h"

/* The words of JOB without an outcome, and those with RowProcessed, answer events, and so does what
 * failed. PRUNED_FATAL: the job lacks what an answer needs. */
gboolean job_conf_named (Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets an error with the place of KEY of [job] in the job.conf of JOB, or of [job] itself if it has
 * no such key. FALSE. */
gboolean job_conf_fail (const Job *job, const char *key, GError **error, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* The line of KEY of [job] in the job.conf of FOLDER; NULL: that of [job]. 0: it is not there. */
int job_conf_line (const char *folder, const char *key);
/* The value of KEY of [job] there; NULL: it is not there. g_free it. */
char *job_conf_value (const char *folder, const char *key);
/* `on` in the job.conf of FOLDER, as far as it can be read; g_strfreev it. */
char **job_conf_on (const char *folder);
