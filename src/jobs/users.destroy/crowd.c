#include "crowd.h"

gboolean
crowd_part (Crowd *crowd, const char *why, GError **error)
{
  return step_fail (crowd->steps[0], error, PRUNED_BUSY, "%s; each user is tried alone", why);
}

void
crowd_leave_all (Crowd *crowd)
{
  for (guint i = 0; i < crowd->n; i++)
    crowd->fits[i] = FALSE;
}

gboolean
crowd_list (Crowd *crowd)
{
  users_list (&crowd->users, crowd->steps, crowd->fits, crowd->n);
  return crowd->users.n > 0;
}

int
crowd_place_of (const Crowd *crowd, const PgRows *rows, int row, const char *name)
{
  int at = GPOINTER_TO_INT (g_hash_table_lookup (crowd->at, rows_text (rows, row, name))) - 1;
  return at >= 0 && crowd->fits[at] ? at : -1;
}

void
crowd_leave_unlike (Crowd *crowd, const PgRows *users, gboolean again)
{
  g_autofree gboolean *seen = g_new0 (gboolean, crowd->n);
  for (int i = 0; i < rows_count (users); i++) {
    int at = crowd_place_of (crowd, users, i, "user_id");
    const char *ghost = rows_text (users, i, "ghost_id"), *type = rows_text (users, i, "user_type");
    if (at < 0 || ghost == NULL || g_strcmp0 (type, BOT) != 0)
      continue;
    if (crowd->ghost_id == NULL)
      crowd->ghost_id = g_strdup (ghost);
    gboolean as_before = rows_bool (users, i, "blocked")
                         && g_strcmp0 (users_cursor_text (crowd->steps[at], "user_type"), BOT) == 0;
    seen[at] = g_str_equal (ghost, crowd->ghost_id) && (!again || as_before);
  }
  for (guint i = 0; i < crowd->n; i++)
    crowd->fits[i] = crowd->fits[i] && seen[i];
}

gboolean
crowd_is_owned (Crowd *crowd, const PgRows *done, gint64 wanted, GError **error)
{
  gint64 n = rows_int (done, 0, "n");
  return (n == rows_int (done, 0, "owned") && (wanted < 0 || n == wanted))
         || crowd_part (crowd, "rows are kept by something, or are not the users'", error);
}
