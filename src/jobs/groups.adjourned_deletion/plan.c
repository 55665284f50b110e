/* The step is that of a page job. Only the plan is here: it adds what each child would touch. */
#include "base/plural.h"
#include "jobs/groups.destroy/foresee.h"
#include "jobs/jobs.h"

static void
add_words (const char *table, gboolean deleted, gint64 n, gpointer words)
{
  g_string_append_printf (words, ", %" G_GINT64_FORMAT " %s of %s%s", n, plural (n, "row", "rows"),
                          table, deleted ? "" : " changed");
}

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
  g_autoptr (GString) words
      = g_string_new (counts != NULL ? rows_text (counts, 0, "counts") : NULL);
  if (counts == NULL || !foresee_doomed (step, key, add_words, words, error))
    return FALSE;
  step_plan_line (step, "group_deletion_schedules", key, "scheduled", words->str);
  return TRUE;
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
