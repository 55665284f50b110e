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

static void
note_dropped (Prune *prune, const PgRows *dropped)
{
  step_count (prune->step, "updated_rows", rows_count (dropped));
  for (int i = 0; i < rows_count (dropped); i++) {
    g_autofree char *item = item_of (rows_int (dropped, i, "key"));
    step_unquarantine (prune->step, item);
  }
}

/* All of them, or halves as long as one of them raises. */
static gboolean
drop (Prune *prune, const gint64 *ids, guint n, GError **error)
{
  g_autofree char *schedule = literal (ids, n), *reason = NULL;
  g_autoptr (PgRows) dropped
      = step_try (prune->step, &reason, error, FILE_DROP, "schedule", schedule, NULL);
  if (dropped != NULL)
    note_dropped (prune, dropped);
  else if (reason == NULL)
    return FALSE;
  else if (n == 1)
    refuse (prune, row_of (prune, ids[0]), reason, FALSE);
  else
    return drop (prune, ids, n / 2, error) && drop (prune, ids + n / 2, n - n / 2, error);
  return TRUE;
}

gboolean
drop_done (Prune *prune, GError **error)
{
  const gint64 *ids = (const gint64 *)(gpointer)prune->done->data;
  if (prune->done->len == 0)
    return TRUE;
  step_tries (prune->step, prune->turns->len);
  if (!drop (prune, ids, prune->done->len, error))
    return FALSE;
  /* A trigger may keep a row without a word. */
  g_autofree char *schedule = literal (ids, prune->done->len),
                  *failed = ids_literal (prune->failed, 0);
  g_autoptr (PgRows) kept
      = step_query (prune->step, error, "kept", "schedule", schedule, "failed", failed, NULL);
  for (int i = 0; kept != NULL && i < rows_count (kept); i++)
    refuse (prune, row_of (prune, rows_int (kept, i, "id")), "a trigger or a rule keeps the row",
            FALSE);
  return kept != NULL;
}
