#include "jobs/ci.delete_objects/refused.h"

#define TRIES 32

typedef struct {
  Step *step;
  Leased *leased;
  const GArray *gone;
  guint tries;
  gint64 removed;
} Trial;

static void
fail (Leased *leased, int row, const char *reason)
{
  StoreObject *object = &leased->list.objects[row];
  object->result = STORE_FAILED;
  g_free (object->error);
  object->error = g_strdup (reason);
}

static void
leave (Trial *trial, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    trial->leased->list.objects[g_array_index (trial->gone, int, i)].result = STORE_OPEN;
}

static gboolean
try_part (Trial *trial, guint from, guint to, GError **error)
{
  if (trial->tries == 0) {
    leave (trial, from, to);
    return TRUE;
  }
  trial->tries--;
  g_autofree char *id = leased_column (trial->leased, "id", trial->gone, from, to),
                  *was = leased_column (trial->leased, "was", trial->gone, from, to),
                  *reason = NULL;
  g_autoptr (PgRows) rows = step_try (trial->step, &reason, error, "10-ci_deleted_objects", "id",
                                      id, "was", was, "lease", trial->leased->lease, NULL);
  trial->removed += rows != NULL ? rows_count (rows) : 0;
  if (rows != NULL || reason == NULL)
    return rows != NULL;
  guint middle = from + (to - from) / 2;
  if (middle > from)
    return try_part (trial, from, middle, error) && try_part (trial, middle, to, error);
  const int row = g_array_index (trial->gone, int, from);
  if (step_is_held (trial->step))
    trial->leased->held[row] = g_steal_pointer (&reason);
  else
    fail (trial->leased, row, reason);
  return TRUE;
}

gboolean
refused_find (Step *step, Leased *leased, GError **error)
{
  g_autoptr (GArray) gone = leased_with (leased, STORE_DELETED, STORE_ABSENT);
  Trial trial = { step, leased, gone, TRIES, 0 };
  if (!try_part (&trial, 0, gone->len, error))
    return FALSE;
  return trial.tries > 0 || trial.removed > 0
         || step_fail (step, error, PRUNED_DATA,
                       "most rows of the step are refused, for example: %s",
                       leased->list.objects[g_array_index (gone, int, 0)].error);
}

gboolean
refused_silently (Step *step, Leased *leased, gboolean *any, GError **error)
{
  g_autoptr (GArray) gone = leased_with (leased, STORE_DELETED, STORE_ABSENT);
  g_autofree char *id = leased_column (leased, "id", gone, 0, gone->len);
  g_autoptr (PgRows) kept
      = step_query (step, error, "kept", "id", id, "lease", leased->lease, NULL);
  if (kept == NULL)
    return FALSE;
  *any = rows_count (kept) > 0;
  for (int i = 0; i < rows_count (kept); i++)
    for (guint j = 0; j < gone->len; j++) {
      int row = g_array_index (gone, int, j);
      if (!g_str_equal (leased_text (leased, row, "id"), rows_text (kept, i, "id")))
        continue;
      const gboolean again = rows_bool (kept, i, "again");
      if (again)
        g_ptr_array_add (leased->kept, g_strdup (rows_text (kept, i, "id")));
      fail (leased, row,
            rows_bool (kept, i, "held")
                ? "its row, or one that would go with it, is held since its "
                  "lease: it stays, and its object is gone"
            : again ? "its lease was set back (by a trigger)"
                    : "refused: the statement did not change the row (a trigger "
                      "or a rule keeps it)");
    }
  return TRUE;
}
