/* Finds what job.conf says in vain: records that do not exist, and constants of outcomes
 * (`outcome.reason = expired`) that say nothing; a counter of rows that failed (`[failed] counter`)
 * that counts something else, so that they would look removed, or be counted twice; settings that
 * the job does not have or read, which would be passed over in silence; folders without a group.
 *
 * Threads: main, when it loads jobs.
 */
#pragma once
#include "engine/job/job.h"

#define JOB_CONF_EVENTS "schemas/avro/events"
#define JOB_CONF_CONSTANT "outcome."

/* Whether FOLDER has a record NAME. PRUNED_FATAL: `<path>:<line>: <what> '<name>'`, with the
 * nearest one. */
gboolean job_conf_check_record (const char *path, int line, const char *folder, const char *what,
                                const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* ENTRIES: of KeyFileEntry, of the job.conf at PATH; their keys are known. PRUNED_FATAL:
 * `<path>:<line>: ...`. */
gboolean job_conf_check (const char *path, const GPtrArray *entries, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same of settings: JOB has been read from ENTRIES. `settings` names some, and those of ticks
 * have a value only where ticks start the job. */
gboolean job_conf_check_settings (const Job *job, const char *path, const GPtrArray *entries,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Every folder below apply/ must have its group. PRUNED_FATAL names the folder. */
gboolean job_conf_check_apply (const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
