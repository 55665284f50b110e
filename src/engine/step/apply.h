/* A step of a page job, from its page to what stays of it: page.c finds the keys, trial.c tries
 * them, bisect.c finds those at fault, record.c keeps what happened.
 *
 * Invariant: what a page query returns is only a wish; decide and apply look again, under lock.
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/step.h"

/* In the cursor: how often one row alone took too long. */
#define APPLY_TIMEOUTS "timeouts"

gboolean apply_page (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
