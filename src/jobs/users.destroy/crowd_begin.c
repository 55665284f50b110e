/* The first stage of several bots: they are blocked, and their memberships go. */
#include "crowd.h"
#include "references.h"

/* Leaves out users with whom other rows would go: `before` of crowd/others.sql finds them. */
static gboolean
leave_others (Crowd *crowd, GError **error)
{
  if (!users_queue_text (&crowd->users, rows_text (crowd->others, 0, "before"), error))
    return FALSE;
  g_autoptr (GPtrArray) all = step_send (crowd->users.step, error);
  for (int i = 0; all != NULL && i < rows_count (all->pdata[0]); i++) {
    int at = crowd_place_of (crowd, all->pdata[0], i, "user_id");
    if (at >= 0)
      crowd->fits[at] = FALSE;
  }
  return all != NULL;
}

/* The rows of PAGE whose users are not left out. */
static PgRows *
rows_of_users (const Crowd *crowd, const PgRows *page)
{
  g_autofree int *which = g_new (int, (gsize)rows_count (page) + 1);
  guint n = 0;
  for (int i = 0; i < rows_count (page); i++)
    if (crowd_place_of (crowd, page, i, "user_id") >= 0)
      which[n++] = i;
  return rows_part (page, which, n);
}

/* A row can have come below the memberships of PAGE before they were locked. */
static gboolean
queue_below (Crowd *crowd, const PgRows *page, GError **error)
{
  const char *sql = rows_text (crowd->others, 0, "below");
  g_autofree char *keys = rows_array (page, "key");
  return step_queue_text (crowd->users.step, error,
                          sql != NULL ? sql : "SELECT NULL AS relation WHERE false", "key", keys,
                          NULL);
}

/* How many of USERS are to be blocked. */
static gint64
count_unblocked (const Crowd *crowd, const PgRows *users)
{
  gint64 n = 0;
  for (int i = 0; i < rows_count (users); i++)
    n += crowd_place_of (crowd, users, i, "user_id") >= 0 && !rows_bool (users, i, "blocked");
  return n;
}

/* USERS, who fit, are blocked now, whatever triggers did. */
static gboolean
are_blocked (Crowd *crowd, const PgRows *users, GError **error)
{
  return (count_unblocked (crowd, users) == 0 && (guint)rows_count (users) == crowd->users.n)
         || crowd_part (crowd, "a user was not blocked", error);
}

/* ANSWERS: from FIRST on those about N memberships. */
static gboolean
are_gone (Crowd *crowd, const GPtrArray *answers, guint first, int n, GError **error)
{
  return (rows_count (answers->pdata[first]) == 0
          || crowd_part (crowd, "rows refer to their memberships", error))
         && crowd_is_owned (crowd, answers->pdata[first + 1], n, error)
         && crowd_is_owned (crowd, answers->pdata[first + 2], -1, error)
         && crowd_is_owned (crowd, answers->pdata[first + 3], -1, error);
}

/* Blocks the users, UNBLOCKED of them are not yet; records their migrations, removes the
 * memberships of PAGE. */
static GPtrArray *
mark (Crowd *crowd, gint64 unblocked, const PgRows *page, GError **error)
{
  const Users *users = &crowd->users;
  const int n = rows_count (page);
  gboolean queued
      = users_queue_mark (users, error) && users_queue (users, error)
        && (n == 0
            || (queue_below (crowd, page, error) && users_queue_memberships (users, page, error)));
  g_autoptr (GPtrArray) all = queued ? step_send (users->step, error) : NULL;
  if (all == NULL || !crowd_is_owned (crowd, all->pdata[0], unblocked, error)
      || !are_blocked (crowd, all->pdata[2], error)
      || (n > 0 && !are_gone (crowd, all, 3, n, error)))
    return NULL;
  return g_steal_pointer (&all);
}

/* MIGRATIONS: of users for whom a row was inserted. */
static void
continue_all (Crowd *crowd, const PgRows *users, const PgRows *migrations)
{
  g_autofree gboolean *inserted = g_new0 (gboolean, crowd->n);
  for (int i = 0; i < rows_count (migrations); i++) {
    int at = crowd_place_of (crowd, migrations, i, "key");
    if (at >= 0)
      inserted[at] = TRUE;
  }
  for (int i = 0; i < rows_count (users); i++) {
    int at = crowd_place_of (crowd, users, i, "user_id");
    if (at < 0)
      continue;
    const Destroy destroy = { .step = crowd->steps[at],
                              .ghost_id = rows_text (users, i, "ghost_id"),
                              .user_type = BOT,
                              .migration = inserted[at] };
    users_destroy_continue (&destroy, "references", NULL);
    step_may_follow (destroy.step);
  }
}

static gboolean
take_memberships (Crowd *crowd, const PgRows *users, const PgRows *page, GError **error)
{
  g_autoptr (PgRows) theirs = rows_of_users (crowd, page);
  g_autoptr (GPtrArray) done = mark (crowd, count_unblocked (crowd, users), theirs, error);
  if (done == NULL)
    return FALSE;
  g_autoptr (json_t) constants = json_pack ("{s:s}", "reason", "user_destroyed");
  for (int i = 0; i < rows_count (theirs); i++)
    step_outcome_row (crowd->steps[crowd_place_of (crowd, theirs, i, "user_id")], "MemberRemoved",
                      theirs, i, "key", constants);
  continue_all (crowd, users, done->pdata[1]);
  return TRUE;
}

gboolean
crowd_begin (Crowd *crowd, GError **error)
{
  const Users *users = &crowd->users;
  Destroy lead = { .step = users->step, .stamp = crowd->stamp };
  if (!users_destroy_look_for_hidden (&lead, error) || !leave_others (crowd, error))
    return FALSE;
  if (!crowd_list (crowd))
    return TRUE;
  gboolean queued = users_queue (users, error) && users_queue_page (users, crowd->left, error);
  g_autoptr (GPtrArray) all = queued ? step_send (users->step, error) : NULL;
  if (all == NULL)
    return FALSE;
  crowd_leave_unlike (crowd, all->pdata[0], FALSE);
  if (rows_count (all->pdata[1]) >= crowd->left)
    crowd_leave_all (crowd);
  return !crowd_list (crowd) || take_memberships (crowd, all->pdata[0], all->pdata[1], error);
}
