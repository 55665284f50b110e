/* What a job's folder may have and must have. A file that nothing reads, a word whose rows nothing
 * changes: such a folder does other things than its files say.
 *
 * Threads: main, when it loads jobs; any for job_folder_reads.
 */
#pragma once
#include "engine/job/job.h"

/* Every SQL file of a folder of the user is read by its name, or another file includes it.
 * PRUNED_FATAL names the file or the folder that is not known, and the nearest name. */
gboolean job_folder_is_known (const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* JOB, whose files are loaded, has what its form wants. PRUNED_FATAL names the place. */
gboolean job_folder_is_whole (const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether the engine reads the SQL file PATH (`lock/20-users.sql`) of a folder by its name. */
gboolean job_folder_reads (const char *path);
