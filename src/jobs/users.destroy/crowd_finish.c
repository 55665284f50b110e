/* The last stages of several bots: what refers to them goes to the ghost user, then they go. */
#include "crowd.h"
#include "finish.h"

/* Which columns refer to one of them. */
static gboolean
queue_look (Crowd *crowd, GError **error)
{
  return users_queue_text (&crowd->users, rows_text (crowd->look, 0, "sql"), error);
}

static gboolean
move_found (Crowd *crowd, const PgRows *found, GError **error)
{
  gint64 changed, left;
  if (!users_move (&crowd->users, found, crowd->references, crowd->ghost_id, crowd->left, &changed,
                   &left, error))
    return FALSE;
  if (left < 0)
    crowd_leave_all (crowd);
  return left <= 0
         || crowd_part (crowd, "not all references were moved, or some are others'", error);
}

/* Locks the users, and looks whether anything is left. */
static gboolean
hold (Crowd *crowd, GError **error)
{
  const Users *users = &crowd->users;
  gboolean queued = users_queue_hold (users, error)
                    && users_queue_text (users, rows_text (crowd->others, 0, "after"), error)
                    && queue_look (crowd, error);
  g_autoptr (GPtrArray) all = queued ? step_send (users->step, error) : NULL;
  return all != NULL
         && ((rows_count (all->pdata[1]) == 0 && rows_count (all->pdata[2]) == 0)
             || crowd_part (crowd, "something else is theirs", error));
}

static gboolean
remove_users (Crowd *crowd, GError **error)
{
  const Users *users = &crowd->users;
  gboolean queued = step_queue_apply_text (users->step, error, "ghost_user_migrations", "deleted",
                                           rows_text (crowd->others, 0, "remove"), "user_id",
                                           users->ids, OF_RUNS (users, "user_id"), NULL)
                    && step_queue_apply (users->step, error, NULL, "crowd/40-users", "user_id",
                                         users->ids, OF_RUNS (users, "id"), NULL)
                    && queue_look (crowd, error);
  g_autoptr (GPtrArray) all = queued ? step_send (users->step, error) : NULL;
  return all != NULL && crowd_is_owned (crowd, all->pdata[0], -1, error)
         && crowd_is_owned (crowd, all->pdata[1], users->n, error)
         && (rows_count (all->pdata[2]) == 0
             || crowd_part (crowd, "something refers to them again", error));
}

static void
announce (const Crowd *crowd)
{
  for (guint i = 0; i < crowd->n; i++) {
    Destroy destroy = { .step = crowd->steps[i],
                        .user_id = step_arg (crowd->steps[i], "user_id"),
                        .user_type = BOT };
    if (crowd->fits[i])
      users_destroy_announce (&destroy);
  }
}

gboolean
crowd_finish (Crowd *crowd, GError **error)
{
  gboolean queued = users_queue (&crowd->users, error) && queue_look (crowd, error);
  g_autoptr (GPtrArray) all = queued ? step_send (crowd->users.step, error) : NULL;
  if (all == NULL)
    return FALSE;
  crowd_leave_unlike (crowd, all->pdata[0], TRUE);
  if (!crowd_list (crowd))
    return TRUE;
  if (!move_found (crowd, all->pdata[1], error))
    return FALSE;
  if (!crowd_list (crowd))
    return TRUE;
  if (!hold (crowd, error) || !remove_users (crowd, error))
    return FALSE;
  announce (crowd);
  return TRUE;
}
