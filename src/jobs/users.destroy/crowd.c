#include "crowd.h"

gboolean
crowd_part (Crowd *crowd, const char *why, GError **error)
{
  return step_fail (crowd->lead, error, PRUNED_BUSY, "%s; each user is tried alone", why);
}

void
crowd_leave_all (Crowd *crowd)
{
  for (guint i = 0; i < crowd->n; i++)
    crowd->fits[i] = FALSE;
}

const char *
crowd_cursor_text (const Step *step, const char *name)
{
  return json_string_value (json_object_get (step_cursor (step), name));
}

void
crowd_free_lists (Crowd *crowd)
{
  g_clear_pointer (&crowd->users, g_free);
  g_clear_pointer (&crowd->run_ids, g_free);
  g_clear_pointer (&crowd->numbers, g_free);
  g_clear_pointer (&crowd->initiators, g_free);
  g_clear_pointer (&crowd->ghosts, g_free);
}

gboolean
crowd_list (Crowd *crowd)
{
  GString *users = array_new (), *run_ids = array_new (), *numbers = array_new (),
          *initiators = array_new (), *ghosts = array_new ();
  crowd->count = 0;
  for (guint i = 0; i < crowd->n; i++) {
    Step *step = crowd->steps[i];
    if (!crowd->fits[i])
      continue;
    array_add (users, step_arg (step, "user_id"));
    array_add (run_ids, step_run_id (step));
    array_add_int (numbers, step_number (step));
    array_add (initiators, step_arg (step, "initiator_id"));
    array_add (ghosts, crowd_cursor_text (step, "ghost_id"));
    crowd->count++;
  }
  crowd_free_lists (crowd);
  crowd->users = array_take (users);
  crowd->run_ids = array_take (run_ids);
  crowd->numbers = array_take (numbers);
  crowd->initiators = array_take (initiators);
  crowd->ghosts = array_take (ghosts);
  return crowd->count > 0;
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
                         && g_strcmp0 (crowd_cursor_text (crowd->steps[at], "user_type"), BOT) == 0;
    seen[at] = g_str_equal (ghost, crowd->ghost_id) && (!again || as_before);
  }
  for (guint i = 0; i < crowd->n; i++)
    crowd->fits[i] = crowd->fits[i] && seen[i];
}

gboolean
crowd_queue_users (Crowd *crowd, GError **error)
{
  return step_queue (crowd->lead, error, "user", "user_id", crowd->users, "ghost_id", crowd->ghosts,
                     NULL);
}

gboolean
crowd_queue_text (Crowd *crowd, const char *sql, GError **error)
{
  return step_queue_text (crowd->lead, error, sql, "user_id", crowd->users, NULL);
}

gboolean
crowd_queue_look (Crowd *crowd, GError **error)
{
  return crowd_queue_text (crowd, rows_text (crowd->look, 0, "sql"), error);
}

gboolean
crowd_is_owned (Crowd *crowd, const PgRows *done, gint64 wanted, GError **error)
{
  gint64 n = rows_int (done, 0, "n");
  return (n == rows_int (done, 0, "owned") && (wanted < 0 || n == wanted))
         || crowd_part (crowd, "rows are kept by something, or are not the users'", error);
}
