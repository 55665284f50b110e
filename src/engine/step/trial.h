/* One try of a set of keys: locks, decision, effects, children. It records nothing in the Step:
 * that is for the try that stays (record.h).
 *
 * Threads: one worker, inside the step's transaction. Ownership: trial_clear.
 */
#pragma once
#include "engine/step/decide.h"

/* Tries KEYS under a savepoint. TRUE: they went through; with KEEP the effects stay. FALSE without
 * an error: a row is at fault, and *REASON is PostgreSQL's message. */
gboolean trial_run (Step *step, const GPtrArray *keys, const Extra *extra, gboolean keep,
                    Trial *trial, char **reason, GError **error) G_GNUC_WARN_UNUSED_RESULT;
