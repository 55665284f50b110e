/* Jobs that this process does not have and another one that runs has: it has loaded more, or its
 * jobs_dir is another. A tick of such a job is placed and waits for that process; a tick of a job
 * that nobody has is a dead letter. An event is placed, too, if a process has said in the last days
 * that a job reads it.
 *
 * Threads: one at a time, outside a transaction. Ownership: the caller's; the jobs live as long.
 */
#pragma once
#include "engine/job/job.h"

typedef struct _Elsewhere Elsewhere;

/* For a batch of messages: asks once, and only if a job is not known. *ELSEWHERE is made then;
 * NULL: nothing was asked yet. */
void elsewhere_free (Elsewhere *elsewhere);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Elsewhere, elsewhere_free)

/* *JOB: what is known of the job NAME; NULL: no process has it. FALSE: the database did not
 * answer. */
gboolean elsewhere_find (Elsewhere **elsewhere, Pg *pg, const char *name, const Job **job,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* *JOBS (of Job, borrowed): those that read events of TOPIC and are not among KNOWN. */
gboolean elsewhere_reading (Elsewhere **elsewhere, Pg *pg, const Jobs *known, const char *topic,
                            const GPtrArray **jobs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
