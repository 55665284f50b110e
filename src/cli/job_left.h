/* Jobs that this command line's configuration lacks, but the database knows: removed ones with runs
 * or a pause, and those of running processes that have not read it again.
 *
 * Threads: main only. Ownership: the caller frees.
 */
#pragma once
#include "cli/cli.h"

/* As cli_job; of a job that only the database knows the error says so, and what to do. */
Job *job_left_find (Cli *cli, const char *name, GError **error);
/* A job of the configuration, or one of which the database still has runs, a pause or an action.
 * FALSE: the code is CODE_NOT_FOUND. */
gboolean job_left_known (Cli *cli, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the names that match PATTERN to NAMES: those of the configuration, refused ones, and those
 * that the database says are paused, have runs that wait, or run. FALSE: there is none. */
gboolean job_left_matching (Cli *cli, const char *pattern, GString *names);
