/* `pruned version --check`: whether this program fits what it would work with: the configuration,
 * the schema of the database, the processes that run.
 *
 * Threads: main. Ownership: of the arguments: none.
 */
#pragma once
#include "cli/cli.h"

/* Prints a line for each. CODE_CONFIG: a setting is wrong, or is none of this version.
 * CODE_POSTGRES: the schema is of another version, or cannot be asked for. */
ExitCode version_check (Cli *cli, GError **error);
