/* What a trigger of the application has kept as it was: the job's remains.sql asks for it, once the
 * effects of a try are there.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/trial_rows.h"

/* FALSE with PRUNED_DATA: rows of other tables remain, so the keys of TRIAL are at fault. */
gboolean remains_none (Step *step, const Trial *trial, const Extra *extra, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
