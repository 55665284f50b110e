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
 * Threads: a worker. Ownership: texts are those of the step and of the rows held by
 * the caller.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  Step *step;
  const char *stamp; /* of the catalogue */
  const char *user_id;
  const char *ghost_id; /* NULL: there is none */
  const char *user_type;
  gboolean migration; /* this run has inserted the row in ghost_user_migrations */
  gint64 left;        /* rows that this step may still touch */
  int looks;          /* how often the last check has found new rows */
} Destroy;

/* The job's own list of columns and that of placeholders. */
#define OWN_LIST(step) step_setting_text (step, "references")
#define ALSO_LIST(step) step_setting_text_of (step, PLACEHOLDER_JOB, "references")
#define LISTS(step) "references", OWN_LIST (step), "also", ALSO_LIST (step)

gboolean users_destroy_step (Step *step, GError **error);
/* The same for several project bots (crowd.h): each statement is done once for all of them. */
gboolean users_destroy_many (Step *const *steps, guint n, gboolean *fits, GError **error);

/* FOUND by a look. TRUE with *MORE: the step's limit is reached. */
gboolean users_destroy_references (Destroy *destroy, const PgRows *found, gboolean *more,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The columns (`name`) that still refer to the user. To queue the question, prepare it before
 * anything else is queued: this can ask the catalogue. */
PgRows *users_destroy_look (Destroy *destroy, GError **error);
gboolean users_destroy_prepare_look (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean users_destroy_queue_look (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* FALSE with an error: row-level security hides rows that could be neither moved nor kept. */
gboolean users_destroy_look_for_hidden (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Counts and tells that the user is deleted. */
void users_destroy_announce (Destroy *destroy);
gboolean users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Continues with STAGE; FIELDS (taken, can be NULL) are added to the cursor. */
void users_destroy_continue (const Destroy *destroy, const char *stage, json_t *fields);
