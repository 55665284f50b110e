/* The statement that a job has for a step that failed (JobCode.on_failure). Whether and when the
 * run is tried again is decided in retry.h.
 *
 * Threads: the owner of the connection. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* STEP runs it if it fails from here on. */
void on_failure_set (Step *step);
/* STEP runs it no more. */
void on_failure_drop (Step *step);
/* Runs it in the open transaction of PG; its rows become log lines. STATE and REASON: what becomes
 * of the run, and why. */
gboolean on_failure_run (Pg *pg, Step *step, const char *state, const char *reason, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The run of STEP ends outside its steps, for REASON: runs it in the open transaction, without log
 * lines. STATE: dead, or skipped. Nothing keeps a run from its end: a statement that fails is taken
 * back, and a warning says so. FALSE: PostgreSQL is away, or a lock is. */
gboolean on_failure_end (Step *step, const char *state, const char *reason, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
