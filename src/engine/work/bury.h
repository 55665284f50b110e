/* Ends a run for good although none of its steps said so: what it is itself stands in its way.
 *
 * Threads: the one that has PG. Ownership: none.
 */
#pragma once
#include "engine/work/claim.h"

/* WORK of JOB is dead with REASON, in a transaction of its own; the outcome that says so is in
 * BUNDLE, stored, for the caller to publish. BUNDLE stays empty: somebody else has moved the run,
 * or is at it. */
gboolean bury_run (Service *service, Pg *pg, const Job *job, const Work *work, const char *reason,
                   Bundle *bundle, GError **error) G_GNUC_WARN_UNUSED_RESULT;
