/* Rows of a page that stay as they are: those that wait in quarantine, those that are held, and
 * those with which a held one would go (held.h). The run of an event that has named one waits for
 * it (row_again.h), and answers `kept` or `failed`.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 */
#pragma once
#include "engine/step/bisect.h"
#include "engine/step/step.h"

/* Kinds of a hold: by `pruned hold`, and what `pruned restore` has brought back. */
#define KEPT_HOLD "hold"
#define KEPT_RESTORED "restored"

/* Removes such keys from KEYS, and counts them. KNOWN (a set of texts) gets those in quarantine
 * whose next try is due. */
gboolean pass_over (Step *step, GPtrArray *keys, GHashTable *known, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* KEY is kept by a held row, as BAD says. What had failed of it before counts no longer. */
void pass_over_held (Step *step, const char *key, const BisectBad *bad, GHashTable *known);
/* Answers the event that has named KEY: WHAT has become of it, and why. */
void pass_over_announce (Step *step, const char *key, const char *what, const char *reason);
/* A row that the event of STEP has named stays for REASON: the result counts it (STEP_KEPT). */
void pass_over_kept (Step *step, const char *reason);
