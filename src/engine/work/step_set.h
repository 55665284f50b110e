/* The steps of one transaction: of one run, or of several. From the claim of the runs to the
 * commit, or to the rollback, after which nothing of them is left. A step has here what is checked
 * before it, the job's code or its page, and the brakes on both sides. Several of one job share
 * their statements (step/page.h, JobCode.sets).
 *
 * Threads: the worker that has their lanes. Ownership: step_set_clear, after the transaction has
 * ended; the service and the connection are borrowed.
 */
#pragma once
#include "engine/brakes/day.h"
#include "engine/step/find.h"
#include "engine/work/claim.h"

typedef struct {
  Service *service;
  Pg *pg;
  Claim claim; /* begun by the caller (claim.h) */
  Bundle *bundle;
  GPtrArray *steps;  /* of Step, owned: to be settled together */
  GPtrArray *next;   /* of Run, owned: those that are one step further in this transaction */
  FoundPages *pages; /* of its runs; NULL: there is one run, and none is kept */
  DayAllowance allowance;
} StepSet;

/* JOB: of the lanes. */
void step_set_init (StepSet *set, Service *service, Pg *pg, const Job *job);
void step_set_clear (StepSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StepSet, step_set_clear)

/* A step of RUN in this transaction, by LANE, behind the run's step BEFORE in it (NULL: none). The
 * caller's, until it adds it to `steps`. SHARED: other runs are stepped in it, too. */
Step *step_set_make (const StepSet *set, const Lane *lane, Run *run, Step *before, gboolean shared);
/* Its arguments are fit, the catalogue has what its job wants, and nothing that the job cannot do
 * without is missing. */
gboolean step_is_ready (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether several runs of JOB, with its SQL, can be a set. */
gboolean step_set_fits (const Job *job);
/* STEPS (of Step) are of one job, and together they may change MOST rows. Of several, those that do
 * not fit to the others are taken out; nothing is done for them. FALSE with ERROR set: the
 * transaction is to be rolled back; `again`, `brake` and `blocked` of a step say how to go on.
 * *AT_FAULT: the run that has to go the careful path, if it is known; borrowed. */
gboolean step_set_run (GPtrArray *steps, gint64 most, const char **at_fault, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Settles the steps, if there are any, and commits. FALSE with ERROR set: step_set_roll_back. */
gboolean step_set_commit (StepSet *set, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void step_set_roll_back (StepSet *set);
