/* Held rows that lie below rows which go: by foreign keys that delete or empty them, or forbid to
 * delete what they refer to. They are looked for behind the locks, from the rows of a page down
 * (`pruned.held_below`), so the row that would take one stays without a try, a portion of what is
 * below it never goes, and nothing that is held is emptied.
 *
 * Nothing is asked where no row is held (Run.holds). What a trigger takes is not found here, but by
 * held.h.
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/decide.h"

/* PRUNED_DATA with `step->takes_held`: there is one, and the keys that TRIAL has decided to go with
 * such rows are noted in the step's bisection. */
gboolean held_below_none (Step *step, const Trial *trial, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The held rows below KEYS (of char), as JOB would take them: `owner`, `item`, `kind`; an owner
 * that is NULL: some cannot be seen. Of keys that stay in any case, none is asked about.
 * rows_free it. */
PgRows *held_below_ask (Pg *pg, const Job *job, const GPtrArray *keys, GError **error);
/* Whether rows that JOB has decided as WORD go, and could take others along. */
gboolean held_below_matters (const Job *job, const char *word);
/* Of ROWS, a decision of JOB, those that stay because a held row would go with them: key -> kind of
 * the hold. NULL: an error. g_hash_table_unref it. */
GHashTable *held_below_kinds (Pg *pg, const Job *job, const PgRows *rows, GError **error);
