/* One step of one claimed run, in the open transaction: what is checked before it, the job's code
 * or its page, and the brakes on both sides.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/step/step.h"

/* FALSE with ERROR set: the transaction is to be rolled back; `again`, `brake` and `blocked` of
 * STEP say how to go on. */
gboolean run_step (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
