/* Whether the rows that a user's file returns are of the keys that it returns with them: a file
 * that decides by one row and deletes another one returns the key of the first.
 *
 * Invariant: a try in which a returned row has another key than the one that was returned with it,
 * or none, does not stand; nor one in which a returned row is there as others have left it, because
 * then the file has deleted or changed another one. PostgreSQL compares the texts of both while the
 * file runs (job_files_audit.c); what differs there can be two texts of one value, and is compared
 * here by the types of the key's columns.
 *
 * Threads: one worker, inside the step's transaction. Ownership: see below.
 */
#pragma once
#include "engine/step/effects.h"

/* Of one file: the keys whose rows have another text, and the columns of these rows' own keys; and
 * the own keys of all rows. Array literals, not closed yet; NULL: empty. */
typedef struct {
  const JobApply *apply;
  GString *keys, *rows, *own;
} EffectsKeys;
void effects_keys_clear (gpointer keys); /* an EffectsKeys; g_free is not called */

/* Adds to ALL (of EffectsKeys) what APPLY has RETURNED. */
void effects_keys_note (GArray *all, const JobApply *apply, const PgRows *returned);
/* Behind the pipeline: blocks the step if one of ALL is not the key of its row, or if that row is
 * there as it was. */
gboolean effects_keys_fit (Step *step, const GArray *all, GError **error) G_GNUC_WARN_UNUSED_RESULT;
