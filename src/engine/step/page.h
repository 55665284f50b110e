/* A page: the next keys of a run. A step of a page job finds its page (find.c), tries it (trial.c),
 * finds the keys at fault (bisect.c) and records what stays (record.c).
 *
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/page_keys.h"

/* Locks, decides and applies KEYS, which lose those that wait in quarantine. *DECIDED gets the
 * decisions, if any key is left; EXTRA can be NULL. */
gboolean page_apply_keys (Step *step, GPtrArray *keys, const Extra *extra, PgRows **decided,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The step of a page job. */
gboolean page_apply (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether the statements of JOB (with its SQL, complete.h) can take the keys of several runs. */
gboolean page_set_fits (const Job *job);
/* STEPS (of Step, owned, of one job and none of a plan) together change MOST rows at most. Several
 * are done as one: a look at quarantine, locks, decision, effects and audit are each one statement
 * for the keys of all. What came of it is recorded in each Step as if it had been done alone; each
 * has an audit record of its own. No key is of two of them, and the job's statements read nothing
 * that differs between them: those that do not fit are freed and taken out, and nothing is done for
 * them. Whatever fails is not judged here: it is tried again, run by run. */
gboolean page_set_apply (GPtrArray *steps, gint64 most, GError **error) G_GNUC_WARN_UNUSED_RESULT;
