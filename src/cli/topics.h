/* What `pruned topics` does, for other commands.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* Shows the topics of the jobs in force; MAKE: creates what is missing. CODE_NOT_FOUND: something
 * is. */
ExitCode topics_settle (Cli *cli, gboolean make, GError **error);
