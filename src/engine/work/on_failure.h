/* The statement that a job has for a step that failed (step_on_failure). Whether and when the run
 * is tried again is decided in retry.h.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* Runs it in the open transaction of PG; its rows become log lines. STATE and REASON: what becomes
 * of the run, and why. */
gboolean on_failure_run (Pg *pg, Step *step, const char *state, const char *reason, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
