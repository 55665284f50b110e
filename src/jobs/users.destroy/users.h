/* The users of a step, one or several, as lists for the files and texts that are about all of them.
 * Of one user all rows are theirs; of several each row is audited as of its user's run.
 *
 * Threads: a worker. Ownership: users_clear; rows are the caller's.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  Step *step;       /* the first, with which all statements are run */
  gboolean several; /* what follows can have more than one */
  guint n;
  char *ids, *run_ids, *numbers, *initiators, *ghosts;
  char *of; /* id -> its place in these lists, from 1 on; NULL: there are not several */
} Users;

/* Whose a row is, its column OWNER says. */
#define OF_RUNS(users, owner)                                                                      \
  "audit.owner", (users)->several ? (owner) : NULL, "audit.run_id", (users)->run_ids,              \
      "audit.step", (users)->numbers, "audit.of", (users)->of

/* A text of the run's cursor; NULL: it has none. */
const char *users_cursor_text (const Step *step, const char *name);
/* Makes the lists of those of the N STEPS that FIT (NULL: all); earlier ones are freed. */
void users_list (Users *users, Step *const *steps, const gboolean *fits, guint n);
void users_clear (Users *users);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Users, users_clear)

/* Locks the users, and reads them as they are now. */
gboolean users_queue (const Users *users, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A text that was made from the catalogue, for one user or for several. */
gboolean users_queue_text (const Users *users, const char *sql, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Blocks them and records that their migration to the ghost user has begun: two statements. */
gboolean users_queue_mark (const Users *users, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Locks them, so that no row can come that refers to them by a key. */
gboolean users_queue_hold (const Users *users, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Their next memberships, locked, LIMIT at most. */
gboolean users_queue_page (const Users *users, gint64 limit, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Removes the memberships of PAGE, with their effects: four statements, of which the last
 * inserts. */
gboolean users_queue_memberships (const Users *users, const PgRows *page, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Moves the rows of the columns that a look has FOUND to the ghost user, if they are fewer than
 * LIMIT, in two round trips. *CHANGED: how many were, *LEFT: how many more or fewer than those
 * found; -1: they are too many, and nothing was changed. */
gboolean users_move (const Users *users, const PgRows *found, const PgRows *references,
                     const char *ghost_id, gint64 limit, gint64 *changed, gint64 *left,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
