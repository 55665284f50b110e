#include "jobs/members.prune_deletions/prune.h"

#define FILE_DROP "drop/60-members_deletion_schedules"

static int
row_of (const Prune *prune, gint64 id)
{
  for (guint i = 0; i < prune->turns->len; i++)
    if (g_array_index (prune->turns, Turn, i).id == id)
      return g_array_index (prune->turns, Turn, i).row;
  g_assert_not_reached ();
}

static char *
literal (const gint64 *ids, guint n)
{
  GString *array = array_new ();
  for (guint i = 0; i < n; i++)
    array_add_int (array, ids[i]);
  return array_take (array);
}

/* For added.sql. */
static void
note_turns (Prune *prune)
{
  GString *turn = array_new (), *after = array_new ();
  for (guint i = 0; i < prune->turns->len; i++) {
    array_add_int (turn, g_array_index (prune->turns, Turn, i).id);
    array_add_int (after, g_array_index (prune->turns, Turn, i).began_after);
  }
  prune->turn = array_take (turn);
  prune->began_after = array_take (after);
}

static void
note_dropped (Prune *prune, const PgRows *dropped)
{
  step_count (prune->step, "updated_rows", rows_count (dropped));
  for (int i = 0; i < rows_count (dropped); i++) {
    g_autofree char *item = prune_item (rows_int (dropped, i, "key"));
    step_unquarantine (prune->step, item);
  }
}

/* Deletes all of them; bisects if the statement fails. */
static gboolean
drop (Prune *prune, const gint64 *ids, guint n, GError **error)
{
  g_autofree char *schedule = literal (ids, n), *reason = NULL;
  g_autoptr (PgRows) dropped
      = step_try (prune->step, &reason, error, FILE_DROP, "schedule", schedule, "turn", prune->turn,
                  "after", prune->began_after, "read", prune->read, NULL);
  if (dropped != NULL)
    note_dropped (prune, dropped);
  else if (reason == NULL)
    return FALSE;
  else if (n == 1 && step_is_held (prune->step))
    prune_pass_over (prune, ids[0], TRUE);
  else if (n == 1)
    prune_refuse (prune, row_of (prune, ids[0]), reason, FALSE);
  else
    return drop (prune, ids, n / 2, error) && drop (prune, ids + n / 2, n - n / 2, error);
  return TRUE;
}

/* Column NAME of the schedules that are done, as an array literal. */
static char *
column_of_done (const Prune *prune, const char *name)
{
  GString *array = array_new ();
  for (guint i = 0; i < prune->done->len; i++)
    array_add (array, rows_text (prune->schedules,
                                 row_of (prune, g_array_index (prune->done, gint64, i)), name));
  return array_take (array);
}

/* The schedules that are done and for which kept.sql returns a row. */
static PgRows *
find_kept (Prune *prune, const gint64 *ids, GError **error)
{
  g_autofree char *schedule = literal (ids, prune->done->len), *aside = prune_aside (prune, 0),
                  *user = column_of_done (prune, "user_id"),
                  *namespace = column_of_done (prune, "namespace_id");
  return step_query (prune->step, error, "kept", "schedule", schedule, "user", user, "namespace",
                     namespace, "aside", aside, "turn", prune->turn, "after", prune->began_after,
                     "read", prune->read, NULL);
}

gboolean
prune_drop_done (Prune *prune, GError **error)
{
  const gint64 *ids = (const gint64 *)(gpointer)prune->done->data;
  if (prune->done->len == 0)
    return TRUE;
  step_tries (prune->step, prune->turns->len);
  note_turns (prune);
  if (!drop (prune, ids, prune->done->len, error))
    return FALSE;
  /* A trigger can keep a row without an error; one with an added membership is done again. */
  g_autoptr (PgRows) kept = find_kept (prune, ids, error);
  for (int i = 0; kept != NULL && i < rows_count (kept); i++)
    if (rows_bool (kept, i, "gone"))
      return step_fail (prune->step, error, PRUNED_BUSY,
                        "a membership was added while schedule %s was deleted: tried again",
                        rows_text (kept, i, "id"));
    else if (rows_bool (kept, i, "added"))
      prune->from = MIN (prune->from, rows_int (kept, i, "id"));
    else
      prune_refuse (prune, row_of (prune, rows_int (kept, i, "id")),
                    "a trigger or a rule keeps the row", FALSE);
  return kept != NULL;
}
