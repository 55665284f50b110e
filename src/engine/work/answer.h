/* What follows a failed step, by verdict (docs/rules.md). If a dependency is down, the lane keeps
 * the message. Else retry.h decides whether the run is retried, blocked or dead, and this file
 * writes that down.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/outbox/publish.h"
#include "engine/service/service.h"
#include "engine/step/step.h"

/* STEP has failed with CAUSE and its transaction is rolled back. SQLSTATE: of the failure. */
LaneNext answer_failure (Service *service, Lane *lane, Pg *pg, Step *step, const char *sqlstate,
                         const GError *cause);
