/* What the try that stays has done becomes the Step's: counters, outcomes, children, quarantine,
 * log lines.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/trial.h"

/* Takes keys out of KEYS that quarantine puts off; KNOWN (a set of texts) gets those whose time has
 * come. */
gboolean record_pass_over (Step *step, GPtrArray *keys, GHashTable *known, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean record_trial (Step *step, const GPtrArray *keys, const Trial *trial, const Extra *extra,
                       GHashTable *known, GError **error) G_GNUC_WARN_UNUSED_RESULT;
