#include "jobs/shared/placeholder.h"

PgRows *
placeholder_find (Step *step, const char *user, GError **error)
{
  const gboolean queued
      = step_queue (step, error, "../shared/lock_placeholder", "user", user, NULL)
        && step_queue (step, error, "../shared/lock_details", "user", user, NULL)
        && step_queue (step, error, "../shared/placeholder_user", "user", user, NULL);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  return all != NULL ? g_ptr_array_steal_index (all, 2) : NULL;
}

const char *
placeholder_why_not (const PgRows *found)
{
  if (rows_count (found) == 0)
    return "the user is gone";
  if (!rows_bool (found, 0, "placeholder"))
    return "the user is no placeholder";
  if (rows_bool (found, 0, "claimed"))
    return "the placeholder belongs to a namespace again";
  return NULL;
}

PgRows *
placeholder_reference (Step *step, const char *stamp, const char *user, GError **error)
{
  const char *references = step_setting_text_of (step, PLACEHOLDER_JOB, "references");
  const PgRows *made = step_query_kept (step, stamp, error, "../shared/placeholder_references",
                                        "references", references, "also", NULL, NULL);
  if (made == NULL)
    return NULL;
  const char *sql = rows_text (made, 0, "sql");
  return step_query_text (step, error, sql != NULL ? sql : "SELECT WHERE false", "user", user,
                          NULL);
}

gboolean
placeholder_abandon (Step *step, const char *user, const char *reason, GError **error)
{
  g_autoptr (PgRows) rows
      = step_query (step, error, "../shared/abandoned", "user", user, "reason", reason, NULL);
  if (rows != NULL)
    step_count (step, "abandoned", rows_count (rows));
  return rows != NULL;
}
