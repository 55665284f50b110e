/* The step is a page job's; only its plan says more: what each child would touch. */
#include "jobs/jobs.h"

static gboolean
show (Step *step, const PgRows *decided, int row, GError **error)
{
  const char *key = rows_text (decided, row, "key"), *what = rows_text (decided, row, "what");
  if (!g_str_equal (what, "due")) {
    step_plan_line (step, "group_deletion_schedules", key, what,
                    rows_text (decided, row, "reason"));
    return TRUE;
  }
  g_autoptr (PgRows) counts = step_query (step, error, "counts", "group", key, NULL);
  if (counts != NULL)
    step_plan_line (step, "group_deletion_schedules", key, "scheduled",
                    rows_text (counts, 0, "counts"));
  return counts != NULL;
}

gboolean
adjourned_plan (Step *step, GError **error)
{
  g_autofree char *after = g_strdup ("0");
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, step_setting (step, "batch"));
  for (;;) {
    g_autoptr (PgRows) page
        = step_query (step, error, "page", "cursor.id", after, "limit", limit, NULL);
    if (page == NULL || rows_count (page) == 0)
      return page != NULL;
    g_autofree char *keys = rows_array (page, "key");
    g_autoptr (PgRows) decided
        = step_query (step, error, "decide", "key", keys, "gone", "{}", NULL);
    for (int i = 0; decided != NULL && i < rows_count (decided); i++)
      if (!show (step, decided, i, error))
        return FALSE;
    if (decided == NULL)
      return FALSE;
    g_free (after);
    after = g_strdup (rows_text (page, rows_count (page) - 1, "id"));
  }
}
