/* Events that set a timer of their own: one unfinished run per unique key, of which the latest
 * event wins, whatever order they arrive in; null cancels.
 *
 * Threads: the worker that has the intake lane. Ownership: specs are the caller's.
 */
#pragma once
#include "engine/ledger/place.h"

/* When the run that EVENT starts is due, and whether it holds its key from the start. */
void timer_prepare (const JobEvent *event, RunSpec *spec);
/* Inside intake's transaction, before place_runs: older timers of the same keys make place, late
 * and cancelling events become skipped rows. */
gboolean timer_place (Pg *pg, GArray *specs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
