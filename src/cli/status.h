/* The screen of `pruned status`.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/output.h"

/* FOUND is the object that --json prints. */
void status_say (Output *out, const json_t *found);
