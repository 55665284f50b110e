/* What a plan says that it cannot foresee: what triggers of the application change besides, and
 * rows that no question of a plan finds.
 *
 * Threads: main. Ownership: none.
 */
#pragma once
#include "cli/output/output.h"
#include "engine/job/job.h"

/* A line about JOB, if there is anything. In a transaction of its own, which only reads. */
void plan_say_unseen (Output *out, Pg *pg, const Job *job);
