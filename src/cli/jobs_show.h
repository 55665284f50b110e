/* `pruned jobs show`: the files of a job, as they are in its folder, or as the engine writes them
 * for a sentence.
 *
 * Threads: main. Ownership: none.
 */
#pragma once
#include "cli/cli.h"

/* The job that the command line names. TO: a folder in which its folder is made; NULL: printed. */
ExitCode jobs_show (Cli *cli, const char *name, const char *to, GError **error);
