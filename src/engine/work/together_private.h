/* Private to together.c and together_steps.c: runs of a lane that share a transaction. */
#pragma once

#include "engine/brakes/day.h"
#include "engine/outbox/bundle.h"
#include "engine/service/service.h"
#include "engine/step/step.h"
#include "engine/work/claim.h"

typedef struct {
  Service *service;
  Pg *pg;
  Lane *lane;
  const GArray *works; /* of Work */
  Claim claim;
  Bundle *bundle;
  GPtrArray *steps;  /* of Step, owned: done */
  GPtrArray *next;   /* of Run, owned: those that are one step further in this transaction */
  GHashTable *heavy; /* run id -> Run, borrowed: those that looking at their page has not done */
  GHashTable *later; /* those of them whose turn has not come */
  gint64 began_us, rows, most; /* rows that it may change */
  GHashTable *offered;    /* run ids, borrowed: those that were to be done as one with others */
  gboolean asked, defers; /* triggers that wait for the end of a transaction */
  gboolean stirs; /* a trigger could change what the statement decides about rows behind it */
  DayAllowance allowance;
  gboolean at_once;     /* runs are being done as one */
  const char *at_fault; /* the run whose step has failed; borrowed. NULL: none */
} Together;

/* Steps the runs with rows, in the order of their messages, until the transaction has enough.
 * FALSE: one has failed; `at_fault` names it where it is known. Thread: the lane's worker. */
gboolean together_step_heavy (Together *together, GError **error);
