/* Runs that would begin a step while a threshold of [throttle] is passed (step/throttle.h) wait
 * instead, for seconds, with the reason as their error: `throttled: standby_lag: ...`. Then they
 * ask again. Nothing is charged, and the lane is free for others.
 *
 * Threads: the worker that has the lane. Ownership: none.
 */
#pragma once
#include "engine/work/claim.h"

/* In the transaction of CLAIM. Its runs of JOB, if they have to wait, are counted in `waits` and
 * leave `runs`. */
gboolean throttled_put_back (Claim *claim, const Job *job, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
