/* Some runs of a shared transaction whose steps are done as one (step/many.h).
 *
 * Invariant: as together.h. What fails is tried again run by run, in a transaction of its own.
 *
 * Threads: the worker that has the lane. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/work/step_set.h"

typedef struct {
  StepSet *set; /* gets the steps that are done, and the runs that are one step further */
  Lane *lane;
  const GPtrArray *runs; /* of Run, borrowed: sound ones, in the same version of their job */
  gint64 most;           /* rows that they may change */
  const char *at_fault;  /* the run whose limits want it to go alone; NULL: not known */
} AtOnce;

/* How many runs of LANE are to be done as one; 0: none. */
guint at_once_wanted (const Lane *lane);
gboolean at_once_run (AtOnce *all, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Stepping runs as one has failed: LANE begins with a few again. */
void at_once_failed (Lane *lane);
