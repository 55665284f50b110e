#include "found.h"

gboolean
found_is_quick (const PgRows *found, const PgRows *references, int row)
{
  return rows_bool (references, row, "quick")
         && rows_has (found, "name", rows_text (references, row, "name"));
}

GPtrArray *
found_read (Step *step, const PgRows *found, const PgRows *references, const char *users,
            gint64 limit, gint64 *total, GError **error)
{
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, limit);
  for (int i = 0; i < rows_count (references); i++)
    if (found_is_quick (found, references, i)
        && !step_queue_text (step, error, rows_text (references, i, "page"), "user_id", users,
                             "limit", most, NULL))
      return NULL;
  GPtrArray *pages = step_send (step, error);
  *total = 0;
  for (guint i = 0; pages != NULL && i < pages->len; i++)
    *total += rows_count (pages->pdata[i]);
  return pages;
}
