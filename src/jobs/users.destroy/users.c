#include "users.h"

const char *
users_cursor_text (const Step *step, const char *name)
{
  return json_string_value (json_object_get (step_cursor (step), name));
}

void
users_clear (Users *users)
{
  g_clear_pointer (&users->ids, g_free);
  g_clear_pointer (&users->run_ids, g_free);
  g_clear_pointer (&users->numbers, g_free);
  g_clear_pointer (&users->initiators, g_free);
  g_clear_pointer (&users->ghosts, g_free);
  g_clear_pointer (&users->of, g_free);
}

void
users_list (Users *users, Step *const *steps, const gboolean *fits, guint n)
{
  GString *ids = array_new (), *run_ids = array_new (), *numbers = array_new (),
          *initiators = array_new (), *ghosts = array_new ();
  g_autoptr (json_t) of = json_object ();
  users_clear (users);
  *users = (Users){ .step = steps[0], .several = n > 1 };
  for (guint i = 0; i < n; i++) {
    if (fits != NULL && !fits[i])
      continue;
    array_add (ids, step_arg (steps[i], "user_id"));
    array_add (run_ids, step_run_id (steps[i]));
    array_add_int (numbers, step_number (steps[i]));
    array_add (initiators, step_arg (steps[i], "initiator_id"));
    array_add (ghosts, users_cursor_text (steps[i], "ghost_id"));
    json_object_set_new (of, step_arg (steps[i], "user_id"), json_integer (++users->n));
  }
  users->ids = array_take (ids);
  users->run_ids = array_take (run_ids);
  users->numbers = array_take (numbers);
  users->initiators = array_take (initiators);
  users->ghosts = array_take (ghosts);
  users->of = users->several ? json_dumps (of, JSON_COMPACT) : NULL;
}

/* As the texts that are made for one user or for several have it. */
static const char *
who (const Users *users)
{
  return users->several ? users->ids : step_arg (users->step, "user_id");
}

gboolean
users_queue (const Users *users, GError **error)
{
  return step_queue (users->step, error, "user", "user_id", users->ids, "ghost_id", users->ghosts,
                     NULL);
}

gboolean
users_queue_text (const Users *users, const char *sql, GError **error)
{
  return step_queue_text (users->step, error, sql, "user_id", who (users), NULL);
}

gboolean
users_queue_mark (const Users *users, GError **error)
{
  return step_queue_apply (users->step, error, NULL, "begin/50-users.update", "user_id", users->ids,
                           OF_RUNS (users, "id"), NULL)
         && step_queue (users->step, error, "begin/60-ghost_user_migrations.insert", "user_id",
                        users->ids, "initiator_id", users->initiators, NULL);
}

gboolean
users_queue_hold (const Users *users, GError **error)
{
  return step_queue (users->step, error, "hold", "user_id", users->ids, NULL);
}

gboolean
users_queue_page (const Users *users, gint64 limit, GError **error)
{
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, limit);
  return step_queue (users->step, error, "members/page", "user_id", users->ids, "limit", most,
                     NULL);
}

gboolean
users_queue_memberships (const Users *users, const PgRows *page, GError **error)
{
  static const char *const effects[][2] = { { "members/20-notification_settings", "user_id" },
                                            { "members/30-todos.update", "author_id" } };
  g_autofree char *keys = rows_array (page, "key"), *ids = rows_array (page, "source_id"),
                  *of = rows_array (page, "user_id"), *types = rows_array (page, "source_type");
  gboolean queued = step_queue_apply (users->step, error, NULL, "members/10-members", "key", keys,
                                      "user", users->ids, OF_RUNS (users, "user_id"), NULL);
  for (guint i = 0; queued && i < G_N_ELEMENTS (effects); i++)
    queued = step_queue_apply (users->step, error, NULL, effects[i][0], "user_id", of, "source_id",
                               ids, "source_type", types, OF_RUNS (users, effects[i][1]), NULL);
  return queued
         && step_queue (users->step, error, "members/40-dirty_users.insert", "user_id", of, NULL);
}

/* --- all that was found, if it is little --- */

/* Whether the column in ROW of REFERENCES is found, and asked together with others. */
static gboolean
is_quick (const PgRows *found, const PgRows *references, int row)
{
  return rows_bool (references, row, "quick")
         && rows_has (found, "name", rows_text (references, row, "name"));
}

/* The first LIMIT rows of each such column, in the order of REFERENCES; *TOTAL: how many. */
static GPtrArray *
read_found (const Users *users, const PgRows *found, const PgRows *references, gint64 limit,
            gint64 *total, GError **error)
{
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, limit);
  for (int i = 0; i < rows_count (references); i++)
    if (is_quick (found, references, i)
        && !step_queue_text (users->step, error, rows_text (references, i, "page"), "user_id",
                             who (users), "limit", most, NULL))
      return NULL;
  GPtrArray *pages = step_send (users->step, error);
  *total = 0;
  for (guint i = 0; pages != NULL && i < pages->len; i++)
    *total += rows_count (pages->pdata[i]);
  return pages;
}

static gboolean
queue_change (const Users *users, const PgRows *references, int row, const PgRows *page,
              const char *ghost_id, GError **error)
{
  static const char *const columns[] = { "clash", "change" };
  const char *actions[] = { "deleted", rows_text (references, row, "action") };
  const char *owner = rows_text (references, row, "column_name");
  g_autofree char *keys = rows_array (page, "key");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    const char *sql = rows_text (references, row, columns[i]);
    if (sql != NULL
        && !step_queue_apply_text (users->step, error, rows_text (references, row, "table_name"),
                                   actions[i], sql, "key", keys, "user_id", who (users), "ghost_id",
                                   ghost_id, OF_RUNS (users, owner), NULL))
      return FALSE;
  }
  return TRUE;
}

gboolean
users_move (const Users *users, const PgRows *found, const PgRows *references, const char *ghost_id,
            gint64 limit, gint64 *changed, gint64 *left, GError **error)
{
  guint n = 0;
  g_autoptr (GPtrArray) pages = read_found (users, found, references, limit, left, error);
  *changed = 0;
  if (pages == NULL)
    return FALSE;
  if (*left >= limit) {
    *left = -1;
    return TRUE;
  }
  step_tries (users->step, users->several ? 0 : *left);
  for (int i = 0; i < rows_count (references); i++)
    if (is_quick (found, references, i)
        && !queue_change (users, references, i, pages->pdata[n++], ghost_id, error))
      return FALSE;
  g_autoptr (GPtrArray) done = step_send (users->step, error);
  if (done == NULL)
    return FALSE;
  for (guint i = 0; i < done->len; i++)
    *changed += rows_int (done->pdata[i], 0, users->several ? "owned" : "n");
  step_tries (users->step, 0);
  *left = ABS (*left - *changed);
  return TRUE;
}
