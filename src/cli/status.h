/* The screen of `pruned status`.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* FOUND is the object that --json prints. */
void status_say (Cli *cli, const json_t *found);
