/* Says in a plan which columns of its rows the audit will not have.
 *
 * Threads: main only. Ownership: none.
 */
#pragma once
#include "cli/output/output.h"
#include "engine/job/job.h"

/* Nothing for a job of the program. */
void plan_say_unrecorded (Output *out, Pg *pg, const Job *job);
