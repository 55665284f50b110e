/* users.destroy: a user goes in three stages, each in steps of at most `batch` rows; the cursor
 * says which one. Before he himself goes there is a last look: what has come into a column that was
 * done already sends the run back to the second stage.
 *
 *   memberships   refusals, block, memberships with all their effects
 *   references    column after column (references.sql), what refers to him goes to the ghost user
 *   finish        what is only his, and last himself
 *
 * Each asks first whether he is still to go: who was unblocked, is of another type, or was claimed,
 * stays with what he still has.
 *
 * Invariant: every stage finds by itself what is left to do, so that a repeated or resumed run does
 * nothing twice. Threads: a worker. Ownership: texts are those of the step and of the rows held by
 * the caller.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  Step *step;
  const char *user_id;
  const char *ghost_id; /* NULL: there is none */
  const char *user_type;
  gboolean migration; /* the row in ghost_user_migrations is ours */
  gint64 left;        /* rows that this step may still touch */
  int looks;          /* how often something was found that came behind the walk over the columns */
} Destroy;

gboolean users_destroy_step (Step *step, GError **error);

/* TRUE with *MORE: this step has done its share. */
gboolean users_destroy_references (Destroy *destroy, gboolean *more, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* *NAME: a column that refers to him even now, NULL: there is none; g_free it. */
gboolean users_destroy_look (Destroy *destroy, char **name, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Goes on with STAGE; FIELDS (taken, may be NULL) are added to the cursor. */
void users_destroy_continue (const Destroy *destroy, const char *stage, json_t *fields);
