/* The steps of one transaction: of one run, or of several. From the claim of the runs to the
 * commit, or to the rollback, after which nothing of them is left.
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
/* Settles the steps, if there are any, and commits. FALSE with ERROR set: step_set_roll_back. */
gboolean step_set_commit (StepSet *set, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void step_set_roll_back (StepSet *set);
