/* What follows a failed step, by verdict (docs/rules.md). If a dependency is down, the lane keeps
 * the message. Else retry.h decides whether the run is retried, blocked or dead, and this file
 * writes that down.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/outbox/transaction.h"
#include "engine/service/service.h"
#include "engine/step/step.h"

typedef enum {
  ANSWER_HANDLED, /* the run's row says what happens next */
  ANSWER_AGAIN,   /* the same step at once, in a new transaction */
  ANSWER_AWAY,    /* an errand is under way */
  ANSWER_HOLD     /* nothing is charged; the lane keeps the message */
} Answer;

/* STEP has failed with CAUSE and its transaction is rolled back. SQLSTATE: of the failure. */
Answer answer_failure (Service *service, Lane *lane, Pg *pg, Step *step, const char *sqlstate,
                       const GError *cause);

/* A failure outside of a step: ANSWER_HOLD, after outage_note (lane/outage.h). */
Answer answer_outage (Service *service, Lane *lane, const GError *error);
