/* Private to together.c and together_steps.c: runs of a lane that share a transaction. */
#pragma once

#include "engine/work/step_set.h"

typedef struct {
  StepSet set; /* `steps`: those that are done */
  Lane *lane;
  const GArray *works; /* of Work */
  GHashTable *heavy;   /* run id -> Run, borrowed: those that looking at their page has not done */
  GHashTable *later;   /* those of them whose turn has not come */
  gint64 began_us, rows, most; /* rows that it may change */
  GHashTable *offered;    /* run ids, borrowed: those that were to be done as one with others */
  gboolean asked, defers; /* triggers that wait for the end of a transaction */
  gboolean stirs;       /* a trigger could change what the statement decides about rows behind it */
  gboolean at_once;     /* runs are being done as one */
  const char *at_fault; /* the run whose step has failed; borrowed. NULL: none */
} Together;

/* Steps the runs with rows, in the order of their messages, until the transaction has enough.
 * FALSE: one has failed; `at_fault` names it where it is known. Thread: the lane's worker. */
gboolean together_step_heavy (Together *together, GError **error);
