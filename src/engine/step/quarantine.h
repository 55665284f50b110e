/* Entries of the quarantine: which ones are passed over, the state of their rows, and removal of
 * entries whose rows are gone.
 *
 * Invariant: an entry is about its row as it was when it failed; a row that was changed since
 * starts afresh. An entry that `pruned restore` holds stays held until an operator releases it.
 *
 * Rows of a page stay as they are if they wait in quarantine, if they are held, or if a held one
 * would go with them (held.h). The run of an event that has named one waits for it (row_again.h),
 * and answers `kept` or `failed`.
 *
 * Threads: those of the connection. Ownership: as said.
 */
#pragma once
#include "engine/service/service.h"
#include "engine/step/bisect.h"
#include "engine/step/step.h"

/* Which of ITEMS (of text) are in quarantine, or held by what another table says, as rows: asked
 * for one run, several, a plan and `pruned why`. Holds are asked where there can be any
 * (`run->holds`). *OVER (g_array_unref it): of gboolean, which of
 * these are passed over, with regard to what their rows are now. NULL: error. */
PgRows *quarantine_known (Step *step, const GPtrArray *items, GArray **over, GError **error);
/* The states of the rows that ITEMS (of text) name, in their order: an array literal, empty where
 * it is not known; g_free it. NULL: error. */
char *quarantine_states (Pg *pg, const GPtrArray *items, GError **error);
/* The transactions that have locked the rows KEYS (an array literal) of TABLE last, over or not: an
 * array literal; g_free it. NULL: error. */
char *quarantine_holders (Pg *pg, const char *table, const char *keys, GError **error);
/* Removes entries whose rows the application has deleted, in a transaction of its own. Looks at a
 * thousand entries; those of a table that cannot be read stay, and the others go. Runs that wait
 * for an entry that is gone go on. Holds that have ended a month ago go, too. */
gboolean quarantine_sweep (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Kinds of a hold: by `pruned hold`, and what `pruned restore` has brought back. */
#define KEPT_HOLD "hold"
#define KEPT_RESTORED "restored"

/* Removes such keys from KEYS, and counts them. KNOWN (a set of texts) gets those in quarantine
 * whose next try is due. */
gboolean quarantine_pass_over (Step *step, GPtrArray *keys, GHashTable *known, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* KEY is kept by a held row, as BAD says. What had failed of it before counts no longer. */
void quarantine_held (Step *step, const char *key, const BisectBad *bad, GHashTable *known);
/* Answers the event that has named KEY: WHAT has become of it, and why. */
void quarantine_announce (Step *step, const char *key, const char *what, const char *reason);
/* A row that the event of STEP has named stays for REASON: the result counts it (STEP_KEPT). */
void quarantine_kept (Step *step, const char *reason);
