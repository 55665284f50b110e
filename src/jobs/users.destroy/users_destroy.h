/* users.destroy: a user is removed in three stages, each in steps of at most `batch` rows; the
 * cursor names the stage. Before the user's own row goes there is a last check: a row that was
 * inserted into a column that was done sends the run back to the second stage.
 *
 *   memberships   refusals, block, memberships with all their effects
 *   references    column after column (references.sql), rows that refer to the user go to the ghost
 *   finish        rows that are only the user's, and finally the user
 *
 * Each step checks first whether the user is still to be removed: one who was unblocked, is of
 * another type, or was claimed, stays with what they still have.
 *
 * Invariant: every stage finds by itself what is left to do, so that a repeated or resumed run does
 * nothing twice.
 *
 * Threads: a worker. Ownership: the engine's.
 */
#pragma once
#include "pruned/job.h"

/* Of several users it does project bots only (crowd.h). */
gboolean users_destroy_step (Step *const *steps, guint n, gboolean *fits, GError **error);
gboolean users_destroy_foresee (Step *step, GError **error);
