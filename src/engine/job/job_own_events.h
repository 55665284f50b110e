/* The events of the user, sections [event NAME], and the jobs whose `on` names them. A wrong event
 * is refused alone.
 *
 * Threads: main, when it loads jobs. Ownership: events belong to Jobs.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/job/sentence/sections.h"

/* What EVENT is called among the jobs that are refused: `event NAME`. g_free it. */
char *job_own_event_name (const char *event);

/* Reads the events of SECTIONS into JOBS, but those that are refused already. */
void job_own_events_load (Jobs *jobs, const GPtrArray *sections, const JobSources *sources);

/* Whether there is every event that SENTENCE, of SECTION, names. PRUNED_FATAL: the nearest name, or
 * why it is refused. */
gboolean job_own_events_exist (const Jobs *jobs, const Section *section, const Sentence *sentence,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* JOB begins with the events NAMES; those that do not exist are passed over. Runs of one key are
 * timers if something can come between the event and its run: the latest event counts, one that
 * cancels included. Else each event has its run. */
void job_own_events_add (const Jobs *jobs, Job *job, char **names);
/* The events of job NAME, of SECTION, are not lost if it is refused: what stands for it reads those
 * that can be read. */
void job_own_events_add_to_refused (const Jobs *jobs, const Section *section, const char *name);
/* The same for JOB, a folder: it begins with the events that its job.conf names in `on`. */
gboolean job_own_events_of_folder (const Jobs *jobs, Job *job, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* And for the job of FOLDER, which is refused. */
void job_own_events_of_refused_folder (const Jobs *jobs, const char *folder);
