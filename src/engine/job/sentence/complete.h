/* A job that is a sentence gets its SQL: a copy of the Job with statements, made from the
 * catalogue.
 *
 * Invariant: a copy is used as long as the catalogue has the stamp that it was made with; the stamp
 * is asked at each step, for one statement. Threads share a copy. Like its statements it lives as
 * long as the process.
 *
 * Threads: any, each with its own Pg. Ownership: the copy belongs to this file.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/job/sentence/sentence_write.h"

/* JOB itself if it has SQL files. NULL with *REFUSAL (g_free it): the catalogue does not fit the
 * sentence; without: ERROR. In the open transaction of PG. */
const Job *job_complete (Pg *pg, const Job *job, char **refusal, GError **error);
/* JOB as it was asked for; COMPLETE and REFUSAL as above, both NULL: its tables are being altered.
 */
typedef void (*JobCompleted) (const Job *job, const Job *complete, const char *refusal,
                              gpointer data);
/* Completes N sentences with the same questions, and visits each. FALSE: something was not
 * answered. */
gboolean job_complete_each (Pg *pg, const Job *const *jobs, guint n, JobCompleted visit,
                            gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The files that JOB would have, written anew. As above. */
Written *job_write (Pg *pg, const Job *job, char **refusal, GError **error);
/* JOB is about to be freed; or it was completed only to be checked, before it has its number and
 * its topic. No other thread knows it. */
void job_complete_forget (const Job *job);
