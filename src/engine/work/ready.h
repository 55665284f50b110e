/* What must be there before a step begins.
 *
 * Threads: the worker that has the lane. Ownership: of the arguments: none.
 */
#pragma once
#include "engine/step/step.h"

/* Its arguments are fit, the catalogue has what its job wants, and nothing that the job cannot do
 * without is missing. */
gboolean step_is_ready (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
