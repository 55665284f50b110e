/* Steps of several runs of one job as one: a look at quarantine, locks, decision, effects and audit
 * are each one statement for the keys of all of them. What came of it is recorded in each Step as
 * if it had been done alone; each has an audit record of its own.
 *
 * Invariant: no key is of two of these runs, and the job's statements read nothing that differs
 * between them. Whatever fails is not judged here: it is tried again, run by run.
 *
 * Threads: one worker, inside the shared transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

/* Whether the statements of JOB (with its SQL, complete.h) can take the keys of several runs. */
gboolean many_fits (const Job *job);
/* STEPS (of Step, owned, of one job and none of a plan) together change MOST rows at most. Those
 * that do not fit to the others are freed and taken out; nothing is done for them. */
gboolean many_run (GPtrArray *steps, gint64 most, GError **error) G_GNUC_WARN_UNUSED_RESULT;
