/* What follows a step that a brake has stopped (engine/brakes): its run is counted and held, or
 * goes on; or it was a plan, and ends.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/outbox/publish.h"
#include "engine/service/service.h"
#include "engine/step/step.h"

typedef struct {
  gboolean again;   /* no limit holds the run: its step is done again at once */
  char sqlstate[6]; /* of the error */
} HoldResult;

/* The transaction of STEP, whose `brake` is set, is rolled back. FALSE: the run cannot be counted,
 * or its plan cannot be noted. */
gboolean hold_carry_out (Service *service, Lane *lane, Step *step, HoldResult *result,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
