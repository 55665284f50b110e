/* The Job of a sentence with its statements, as a folder of SQL files would give them.
 *
 * Threads: any. Ownership: the copy lives as long as the process, and borrows from JOB.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/job/sentence/sentence_write.h"

/* NULL: WRITTEN has a statement that cannot be read. */
Job *sentence_copy (const Job *job, const Written *written, GError **error);
