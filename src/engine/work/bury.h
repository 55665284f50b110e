/* Ends a run as dead outside its steps, because its message or its row cannot be processed.
 *
 * Threads: the owner of PG. Ownership: none.
 */
#pragma once
#include "engine/work/claim.h"

/* WORK of JOB is dead with REASON, in a transaction of its own; its outcome is stored and in
 * BUNDLE, for the caller to publish. BUNDLE stays empty if another process has moved the run or has
 * it locked. */
gboolean bury_run (Service *service, Pg *pg, const Job *job, const Work *work, const char *reason,
                   Bundle *bundle, GError **error) G_GNUC_WARN_UNUSED_RESULT;
