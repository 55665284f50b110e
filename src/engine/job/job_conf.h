/* A job's `job.conf`, read into its Job. For job_load.c and job_own.c.
 * Threads: main, before others. Ownership: as said.
 */
#pragma once
#include "engine/job/job.h"

/* PRUNED_FATAL names the file and what is wrong with it. */
gboolean job_conf_read (Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The value without blanks around it; NULL: not given. g_free it. */
char *job_conf_text (GKeyFile *conf, const char *group, const char *key);
