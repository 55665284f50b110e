/* Which jobs have to wait between pages, by the last look (throttle_look.h). Housekeeping looks
 * every few seconds; whoever begins a step asks what it saw, and waits some seconds for the first
 * look. If a look fails, nothing waits.
 *
 * Threads: any; throttle_beat: housekeeping. Ownership: as said.
 */
#pragma once
#include "engine/step/throttle_look.h"

/* Looks if the last look is some seconds old, and says in the log what this role may not see and
 * which job no longer waits. An error is PRUNED_OUTAGE; others are logged. */
gboolean throttle_beat (ThrottleEye *eye, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Why JOB has to wait: `standby_lag: ...`, and the REASON; says so in the log, once for each
 * reason. NULL: it does not. g_free it. */
char *throttle_of (const Job *job, ThrottleReason *reason);
