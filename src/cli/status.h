/* What `pruned status` has found, for people.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/output.h"

/* FOUND is the object that --json shows. */
void status_say (Output *out, const json_t *found);
