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

/* What becomes of a message of work. */
typedef enum {
  MESSAGE_HANDLED, /* the run's row says what happens next */
  MESSAGE_AGAIN,   /* the same step at once, in a new transaction */
  MESSAGE_AWAY,    /* an errand is under way */
  MESSAGE_HOLD     /* nothing is charged; the lane keeps the message */
} MessageNext;

/* STEP has failed with CAUSE and its transaction is rolled back. SQLSTATE: of the failure. */
MessageNext answer_failure (Service *service, Lane *lane, Pg *pg, Step *step, const char *sqlstate,
                            const GError *cause);

/* A failure outside of a step: MESSAGE_HOLD, after outage_note (lane/outage.h). */
MessageNext answer_outage (Service *service, Lane *lane, const GError *error);
