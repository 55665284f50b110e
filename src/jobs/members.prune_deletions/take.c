#include "jobs/members.prune_deletions/prune.h"

char *
prune_item (gint64 id)
{
  return g_strdup_printf ("members_deletion_schedules:%" G_GINT64_FORMAT, id);
}

char *
prune_aside (const Prune *prune, gint64 from)
{
  const GArray *const lists[] = { prune->failed, prune->busy, prune->kept };
  GString *array = array_new ();
  for (guint n = 0; n < G_N_ELEMENTS (lists); n++)
    for (guint i = 0; i < lists[n]->len; i++)
      if (g_array_index (lists[n], gint64, i) >= from)
        array_add_int (array, g_array_index (lists[n], gint64, i));
  return array_take (array);
}

void
prune_pass_over (Prune *prune, gint64 id, gboolean itself)
{
  g_autofree char *item = prune_item (id);
  if (itself)
    step_pass_over (prune->step, item, NULL);
  g_array_append_val (prune->busy, id);
  pass_end (prune->passes, id);
}

void
prune_keep (Prune *prune, gint64 id)
{
  g_autofree char *item = prune_item (id);
  step_unquarantine (prune->step, item);
  g_array_append_val (prune->kept, id);
  pass_end (prune->passes, id);
}

void
prune_quarantine (Prune *prune, gint64 id, const char *reason, gboolean for_good)
{
  g_autofree char *item = prune_item (id);
  step_quarantine (prune->step, item, reason,
                   for_good ? 0 : (int)step_setting (prune->step, "item_attempts"));
  g_array_append_val (prune->failed, id);
  pass_end (prune->passes, id);
}

void
prune_refuse (Prune *prune, int row, const char *reason, gboolean for_good)
{
  const PgRows *schedules = prune->schedules;
  step_count (prune->step, "failed", 1);
  step_log (prune->step, LOG_ERROR, NOT_PROCESSED,
            json_pack ("{s:I, s:I, s:I, s:s}", "user_id",
                       (json_int_t)rows_int (schedules, row, "user_id"), "namespace_id",
                       (json_int_t)rows_int (schedules, row, "namespace_id"), "scheduled_by_id",
                       (json_int_t)rows_int (schedules, row, "scheduled_by_id"), "error", reason));
  prune_quarantine (prune, rows_int (schedules, row, "id"), reason, for_good);
}

/* Only a plan has memberships that count as removed and still exist. */
static char *
removed_of (const Prune *prune, const char *user)
{
  const GString *removed
      = prune->removed != NULL ? g_hash_table_lookup (prune->removed, user) : NULL;
  return removed != NULL ? g_strconcat (removed->str, "}", NULL) : g_strdup ("{}");
}

/* Reads the schedule's next memberships, one more than needed, to see whether there are more. */
static gboolean
take_turn (Prune *prune, int row, GError **error)
{
  gint64 size = MIN (step_setting (prune->step, "batch"), prune->left),
         id = rows_int (prune->schedules, row, "id"), begun = pass_after (prune->passes, id);
  g_autofree char *after = g_strdup_printf ("%" G_GINT64_FORMAT, begun);
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, size + 1);
  const char *user = rows_text (prune->schedules, row, "user_id"),
             *root = rows_text (prune->schedules, row, "root_id");
  g_autofree char *gone = removed_of (prune, user);
  g_autoptr (PgRows) rows
      = step_query (prune->step, error, "memberships", "user", user, "root", root, "requests",
                    prune->requests, "gone", gone, "after", after, "limit", limit, NULL);
  if (rows == NULL)
    return FALSE;
  Turn turn = { .id = id,
                .row = row,
                .first = prune->keys->len,
                .began_after = begun,
                .more = rows_count (rows) > size,
                .denied = json_array () };
  turn.asked = (int)MIN (rows_count (rows), size);
  prune->left -= MAX (turn.asked, 1); /* the schedule itself can be removed */
  for (int i = 0; i < turn.asked; i++) {
    turn.after = rows_int (rows, i, "id");
    g_array_append_val (prune->keys, turn.after);
    array_add_int (prune->members, turn.after);
    array_add_int (prune->owners, id);
  }
  g_array_append_val (prune->turns, turn);
  return TRUE;
}

/* Which later schedules of a step must wait for earlier ones. */
typedef struct {
  GHashTable *users; /* users to be removed, and with their hierarchies: "user/root" */
  GHashTable *roots; /* hierarchies with an unfinished schedule: all later ones there wait */
} Earlier;

static void
earlier_clear (Earlier *earlier)
{
  g_hash_table_destroy (earlier->users);
  g_hash_table_destroy (earlier->roots);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Earlier, earlier_clear)

/* Rights and last owners are judged in the order of the schedules, after each, even within one
 * step. So a schedule waits if its author is to be removed by an earlier one. The second of two
 * schedules for one user in one hierarchy waits as well: both are about the same memberships. A
 * schedule that waits, or has more memberships than a step takes, delays all later ones of the
 * hierarchy. */
static gboolean
has_to_wait (const Prune *prune, Earlier *earlier, int row)
{
  const PgRows *rows = prune->schedules;
  const char *user = rows_text (rows, row, "user_id"),
             *actor = rows_text (rows, row, "scheduled_by_id");
  const char *root = rows_text (rows, row, "root_id");
  gboolean wait = g_hash_table_contains (earlier->roots, root)
                  || (actor != NULL && g_strcmp0 (actor, user) != 0
                      && g_hash_table_contains (earlier->users, actor));
  g_hash_table_add (earlier->users, g_strdup (user));
  wait |= !g_hash_table_add (earlier->users, g_strdup_printf ("%s/%s", user, root));
  if (wait)
    g_hash_table_add (earlier->roots, g_strdup (root));
  return wait;
}

/* TRUE: it continues in the next step, before the later ones of its hierarchy. */
static gboolean
has_more (const Prune *prune, Earlier *earlier, int row)
{
  const Turn *turn = &g_array_index (prune->turns, Turn, prune->turns->len - 1);
  if (turn->more)
    g_hash_table_add (earlier->roots, g_strdup (rows_text (prune->schedules, row, "root_id")));
  return turn->more;
}

static gboolean
find_requests (Prune *prune, GError **error)
{
  g_autofree char *users = rows_array (prune->schedules, "user_id");
  g_autoptr (PgRows) rows = step_query (prune->step, error, "requests", "users", users, NULL);
  g_clear_pointer (&prune->requests, g_free);
  if (rows != NULL)
    prune->requests = rows_array (rows, "id");
  return rows != NULL;
}

static gboolean
find_schedules (Prune *prune, gint64 from, GError **error)
{
  g_autofree char *first = g_strdup_printf ("%" G_GINT64_FORMAT, from);
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, prune->at_once);
  g_autofree char *over = prune_aside (prune, from);
  g_clear_pointer (&prune->schedules, rows_free);
  prune->schedules = step_query (prune->step, error, "schedules", "from", first, "over", over,
                                 "limit", limit, NULL);
  if (prune->schedules != NULL && rows_count (prune->schedules) == 0 && from > 0)
    return find_schedules (prune, 0, error); /* start again: a schedule can be due again */
  return prune->schedules != NULL;
}

gboolean
prune_take_turns (Prune *prune, gint64 from, GError **error)
{
  if (!find_schedules (prune, from, error) || !find_requests (prune, error))
    return FALSE;
  g_auto (Earlier) earlier = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                               g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gint64 budget_us = step_setting (prune->step, "budget_ms") * 1000;
  gint64 left_over = 0;
  prune->left = step_limit (prune->step, step_setting (prune->step, "batch")
                                             * step_setting (prune->step, "schedules"));
  int n = rows_count (prune->schedules);
  for (int row = 0; row < n; row++) {
    gint64 id = rows_int (prune->schedules, row, "id");
    gboolean over = row > 0 && !step_is_plan (prune->step)
                    && (prune->left <= 0 || step_elapsed_us (prune->step) >= budget_us);
    if (!over && rows_text (prune->schedules, row, "wrong") != NULL)
      prune_refuse (prune, row, rows_text (prune->schedules, row, "wrong"),
                    rows_bool (prune->schedules, row, "for_good"));
    else if (over || has_to_wait (prune, &earlier, row))
      left_over = left_over > 0 ? left_over : id;
    else if (!take_turn (prune, row, error))
      return FALSE;
    else if (has_more (prune, &earlier, row))
      left_over = left_over > 0 ? left_over : id;
    if (over)
      break;
  }
  prune->from = left_over > 0 ? left_over
                : n > 0       ? rows_int (prune->schedules, n - 1, "id") + 1
                              : 0;
  return TRUE;
}
