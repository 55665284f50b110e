/* Which events a job reads, of ours and of applications' own topics, as JSON: enough for a process
 * without the job to take an event for it.
 *
 * Threads: any. Ownership: see each function.
 */
#pragma once
#include "base/json.h"
#include "engine/job/job.h"

/* OURS: the name of the topic of our events. NULL: it reads no events. New reference. */
json_t *job_reads_of (const Job *job, const char *ours);
/* A job of this NAME (job_of_name) with the events of READS, which are added to EVENTS (of
 * SentenceEvent) and must outlive it. What cannot be read is left out. job_free it. */
Job *job_of_reads (const char *name, const json_t *reads, GPtrArray *events);
