/* Which of the built-in jobs are in force: `[run] jobs`, or, where it is empty, the tables that the
 * database has. Jobs of one's own are always in force.
 *
 * Invariant: a job in force starts no built-in job that is not in force.
 *
 * Threads: main only, before the settings come into force.
 */
#pragma once
#include "engine/job/job.h"

/* Keeps the jobs that TEXT, the value of `[run] jobs`, chooses; all of them if it is empty.
 * PRUNED_FATAL: a name that fits no job, loaded or refused, or a job is missing that a chosen one
 * starts. */
gboolean chosen_take (Jobs *jobs, const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Adds all built-in jobs that start one of ABSENT, {name: why}, which owns its texts. */
void chosen_spread (const Jobs *jobs, GHashTable *absent);
/* Takes the jobs of ABSENT, which is spread, out. */
void chosen_without (Jobs *jobs, GHashTable *absent);
