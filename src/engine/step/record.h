/* Records in the Step what the trial that stays has done: counters, outcomes, children, quarantine,
 * log lines.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/decide.h"

/* KEYS stay, each for the reason at its place. */
gboolean record_failed (Step *step, const GPtrArray *keys, const GPtrArray *reasons,
                        const Extra *extra, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean record_trial (Step *step, const GPtrArray *keys, const Trial *trial, const Extra *extra,
                       GHashTable *known, GError **error) G_GNUC_WARN_UNUSED_RESULT;
