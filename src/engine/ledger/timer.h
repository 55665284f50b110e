/* Events that set a timer: at most one unfinished run per unique key. The latest event wins, in
 * whatever order events arrive; null cancels.
 *
 * Threads: the worker that holds the intake lane. Ownership: specs are the caller's.
 */
#pragma once
#include "engine/ledger/place.h"

/* Sets when the run that EVENT starts is due, and whether it holds its key from the start. */
void timer_prepare (const JobEvent *event, RunSpec *spec);
/* In intake's transaction, before place_runs: supersedes older timers of the same keys; late and
 * cancelling events become skipped rows. */
gboolean timer_place (Pg *pg, GArray *specs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
