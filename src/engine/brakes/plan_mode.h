/* A run that only plans (`mode = plan`): all but the effects.
 *
 * A page job's rows are decided by the plan's own path, page after page, without locks; what comes
 * behind the first seconds goes on in the next step. A job in C does its steps in one transaction,
 * one after the other, and all of it is rolled back. An errand counts, and asks no store.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* Always FALSE. With `step->brake` set the plan is done, and STEP has its counters. */
gboolean plan_mode_step (Step *step, GError **error);
