/* `[erasure NAME]`: one event that several jobs are asked by, in their order, and the job whose run
 * stands for all of them (step/erasure.h). Its sections say which jobs these are, and each of the
 * jobs says `on = NAME`; so none is asked that does not expect it, and none is forgotten.
 *
 * Threads: main, when it loads jobs; any, once they are loaded. Ownership: all belongs to Jobs.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/job/sentence/sections.h"

/* EVENT, of SECTION, gets how each of its jobs names its rows. OTHERS (of SentenceEvent): those
 * that were read before. PRUNED_FATAL: a job is not there or does not expect it, or another erasure
 * has the same messages. */
gboolean job_erasure_read (SentenceEvent *event, const Section *section, const GPtrArray *sections,
                           const GPtrArray *others, gboolean no_registry, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The job of SECTION, whose EVENT could be read. Its JobEvents are still to be added. */
Job *job_erasure_new (const Section *section, const SentenceEvent *event);

/* What JOB asks; NULL: it is no erasure. */
const SentenceEvent *job_erasure (const Job *job);
/* The same event as the other job OF names its rows by it, from the argument JOB_ERASURE_VALUES of
 * a run of the erasure: the run's arguments. NULL: a value is not there. New reference. */
json_t *job_erasure_args (const SentenceEvent *part, const json_t *values);
