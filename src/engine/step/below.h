/* Rows of other tables that foreign keys would delete or change with those of a page: a job in C
 * can see to them (JobBelowFunc).
 *
 * Threads: one worker, inside the step's transaction. Ownership: none.
 */
#pragma once
#include "engine/step/trial_rows.h"

/* The rows WHICH (of int) of TRIAL are about to go: what lies below them goes first, and is counted
 * in TRIAL. *CHANGED: there was something. */
gboolean below_goes_first (Step *step, Trial *trial, const GArray *which, gboolean *changed,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
