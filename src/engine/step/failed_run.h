/* A run that has come to its end and is no success, because each of its rows that were due has
 * failed. Its state is `finished`, as the engine is done with it: the rows are in quarantine, and a
 * later run tries them again. Its status is `failed`, as that of a tick that lacks something is
 * `blocked`.
 *
 * Invariant: who asks whether a run succeeded asks for both, the state and the status.
 *
 * Threads: one worker. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

/* Whether the run of STEP, its last one, is such a run by its RESULT: rows have failed, and none
 * has gone, been changed, or been given to a run of its own. Rows that are kept were not to go. */
gboolean failed_run_is (const Step *step, const json_t *result);
/* The error of such a run, whose last step is STEP; NULL: it is none. g_free it. */
char *failed_run_error (const Step *step, const json_t *result);
