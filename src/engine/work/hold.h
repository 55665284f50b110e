/* What follows a step that a brake has stopped (engine/brakes): its run is counted and held, or
 * goes on; or it was a plan, and ends.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/work/answer.h"

/* The transaction of STEP, whose `brake` is set, is rolled back. */
Answer hold_answer (Service *service, Lane *lane, Pg *pg, Step *step);
