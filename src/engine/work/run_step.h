/* One step of each of some claimed runs, in the open transaction: what is checked before it, the
 * job's code or its page, and the brakes on both sides. One run is the smallest set. Several of one
 * job share their statements (step/page.h, JobCode.sets).
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* Its arguments are fit, the catalogue has what its job wants, and nothing that the job cannot do
 * without is missing. */
gboolean step_is_ready (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether several runs of JOB, with its SQL, can be a set. */
gboolean run_steps_fit (const Job *job);
/* STEPS (of Step) are of one job, and together they may change MOST rows. Of several, those that do
 * not fit to the others are taken out; nothing is done for them. FALSE with ERROR set: the
 * transaction is to be rolled back; `again`, `brake` and `blocked` of a step say how to go on.
 * *AT_FAULT: the run that has to go the careful path, if it is known; borrowed. */
gboolean run_steps (GPtrArray *steps, gint64 most, const char **at_fault, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
