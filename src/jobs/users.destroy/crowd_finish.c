/* The last stages of several bots: what refers to them goes to the ghost user, then they go. */
#include "crowd.h"
#include "finish.h"
#include "found.h"

static gboolean
queue_change (Crowd *crowd, int row, const PgRows *page, GError **error)
{
  static const char *const columns[] = { "clash", "change" };
  const PgRows *references = crowd->references;
  const char *actions[] = { "deleted", rows_text (references, row, "action") };
  g_autofree char *keys = rows_array (page, "key");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    const char *sql = rows_text (references, row, columns[i]);
    const char *owner = rows_text (references, row, "column_name");
    if (sql != NULL
        && !step_queue_apply_text (crowd->lead, error, rows_text (references, row, "table_name"),
                                   actions[i], sql, "key", keys, "user_id", crowd->users,
                                   "ghost_id", crowd->ghost_id, OF_RUNS (crowd, owner), NULL))
      return FALSE;
  }
  return TRUE;
}

/* Moves or deletes the rows of PAGES, TOTAL of them. */
static gboolean
change_found (Crowd *crowd, const PgRows *found, const GPtrArray *pages, gint64 total,
              GError **error)
{
  guint n = 0;
  gint64 changed = 0;
  for (int i = 0; i < rows_count (crowd->references); i++)
    if (found_is_quick (found, crowd->references, i)
        && !queue_change (crowd, i, pages->pdata[n++], error))
      return FALSE;
  g_autoptr (GPtrArray) done = step_send (crowd->lead, error);
  for (guint i = 0; done != NULL && i < done->len; i++) {
    if (!crowd_is_owned (crowd, done->pdata[i], -1, error))
      return FALSE;
    changed += rows_int (done->pdata[i], 0, "n");
  }
  return done != NULL
         && (changed == total || crowd_part (crowd, "not all references were moved", error));
}

static gboolean
move_found (Crowd *crowd, const PgRows *found, gboolean *fits, GError **error)
{
  gint64 total = 0;
  g_autoptr (GPtrArray) pages = found_read (crowd->lead, found, crowd->references, crowd->users,
                                            crowd->left, &total, error);
  *fits = total < crowd->left;
  return pages != NULL && (!*fits || change_found (crowd, found, pages, total, error));
}

/* Locks the users, so that no row can come that refers to them by a key, and looks whether anything
 * is left. */
static gboolean
hold (Crowd *crowd, GError **error)
{
  gboolean queued = step_queue (crowd->lead, error, "hold", "user_id", crowd->users, NULL)
                    && crowd_queue_text (crowd, rows_text (crowd->others, 0, "after"), error)
                    && crowd_queue_look (crowd, error);
  g_autoptr (GPtrArray) all = queued ? step_send (crowd->lead, error) : NULL;
  return all != NULL
         && ((rows_count (all->pdata[1]) == 0 && rows_count (all->pdata[2]) == 0)
             || crowd_part (crowd, "something else is theirs", error));
}

static gboolean
remove_users (Crowd *crowd, GError **error)
{
  gboolean queued = step_queue_apply_text (crowd->lead, error, "ghost_user_migrations", "deleted",
                                           rows_text (crowd->others, 0, "remove"), "user_id",
                                           crowd->users, OF_RUNS (crowd, "user_id"), NULL)
                    && step_queue_apply (crowd->lead, error, NULL, "crowd/40-users", "user_id",
                                         crowd->users, OF_RUNS (crowd, "id"), NULL)
                    && crowd_queue_look (crowd, error);
  g_autoptr (GPtrArray) all = queued ? step_send (crowd->lead, error) : NULL;
  return all != NULL && crowd_is_owned (crowd, all->pdata[0], -1, error)
         && crowd_is_owned (crowd, all->pdata[1], crowd->count, error)
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
  gboolean queued = crowd_queue_users (crowd, error) && crowd_queue_look (crowd, error), fits;
  g_autoptr (GPtrArray) all = queued ? step_send (crowd->lead, error) : NULL;
  if (all == NULL)
    return FALSE;
  crowd_leave_unlike (crowd, all->pdata[0], TRUE);
  if (!crowd_list (crowd))
    return TRUE;
  if (!move_found (crowd, all->pdata[1], &fits, error))
    return FALSE;
  if (!fits) {
    crowd_leave_all (crowd);
    return TRUE;
  }
  if (!hold (crowd, error) || !remove_users (crowd, error))
    return FALSE;
  announce (crowd);
  return TRUE;
}
