/* What follows from new runs that end at once, because their jobs are refused or disabled, or their
 * events withdrawn.
 *
 * Threads: as place_runs.
 */
#pragma once
#include "engine/ledger/place.h"

/* In the open transaction that has inserted them: their outcomes, and a note so that those of
 * refused jobs are tried again once their jobs are loaded (clock/blocked.h). */
gboolean place_refused (Pg *pg, const GArray *specs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
