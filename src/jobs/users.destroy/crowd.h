/* Several project bots at once, set by set: the stages of users_destroy.h with one statement for
 * all of them where one user has one.
 *
 * Invariant: it is for users with nothing unusual. Before anything is changed, a user who could be
 * refused, or of whom more goes than memberships and references, is left out; what turns up later
 * undoes all, and each comes alone.
 * Threads: a worker. Ownership: a Crowd owns its texts; rows are the engine's.
 */
#pragma once
#include "destroy.h"

typedef struct {
  Step *const *steps;
  guint n;
  gboolean *fits;
  char *stamp;
  GHashTable *at; /* user id -> its place in `steps`, from 1 on */
  gint64 left;    /* rows that may be touched */
  const PgRows *others, *references, *look;
  Users users;    /* those that fit */
  char *ghost_id; /* of all of them */
} Crowd;

/* Makes the lists of those that fit. FALSE: none does. */
gboolean crowd_list (Crowd *crowd);
/* The place of the user in column NAME among those that fit; -1: not one of them. */
int crowd_place_of (const Crowd *crowd, const PgRows *rows, int row, const char *name);
/* None fits. */
void crowd_leave_all (Crowd *crowd);
/* Leaves out those who are not among USERS (user.sql), or not as the run expects. AGAIN:
 * they were blocked by the step before. */
void crowd_leave_unlike (Crowd *crowd, const PgRows *users, gboolean again);
/* WANTED rows were changed, each audited as of its user's run; -1: any number. */
gboolean crowd_is_owned (Crowd *crowd, const PgRows *done, gint64 wanted, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Sets an error that rolls the transaction back because of WHY, and returns FALSE. */
gboolean crowd_part (Crowd *crowd, const char *why, GError **error);

/* The next step of these users. Sets FITS to FALSE for those who are to go alone. */
gboolean crowd_step (Step *const *steps, guint n, gboolean *fits, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean crowd_begin (Crowd *crowd, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean crowd_finish (Crowd *crowd, GError **error) G_GNUC_WARN_UNUSED_RESULT;
