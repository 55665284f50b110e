/* What is only the user's is deleted, and last himself: rows that foreign keys would take along first, each by a statement of its
 * own, so that the audit sees them. Whatever a key forbids raises its error: a reason in the data.
 */
#include "users_destroy.h"

#include <string.h>

#define DEPTH 12 /* keys below keys; deeper (a circle of rows) is left to the database */

/* Rows of these tables (one a line) may have gone by their key. */
static void
warn_unseen (Destroy *destroy, const char *tables)
{
  g_auto (GStrv) names = g_strsplit (tables, "\n", -1);
  for (guint i = 0; names[i] != NULL; i++)
    step_log (destroy->step, LOG_WARNING, "Rows of this table are not deleted by us: grant SELECT, UPDATE and DELETE",
              json_pack ("{s:s, s:I}", "table", names[i], "user_id", (json_int_t)g_ascii_strtoll (destroy->user_id, NULL, 10)));
}

/* Deletes rows of RELATION that fulfil CONDITION, children first. *REMOVED: how many of RELATION itself. */
static gboolean
sweep (Destroy *destroy, const char *relation, const char *condition, int depth, int *removed, GError **error)
{
  g_autofree char *level = g_strdup_printf ("%d", depth);
  g_autoptr (PgRows) made = step_query (destroy->step, error, "../shared/cascades", "relation", relation, "condition", condition,
                                        "depth", level, NULL);
  if (made == NULL)
    return FALSE;
  const char *probe = rows_text (made, 0, "probe");
  if (probe != NULL && depth < DEPTH)
    {
      g_autoptr (PgRows) below = step_query_text (destroy->step, error, probe, "user_id", destroy->user_id, NULL);
      if (below == NULL)
        return FALSE;
      for (int i = 0; i < rows_count (below) && destroy->left > 0; i++)
        if (!sweep (destroy, rows_text (below, i, "relation"), rows_text (below, i, "condition"), depth + 1, removed, error))
          return FALSE;
    }
  *removed = 0;
  if (destroy->left <= 0)
    return TRUE;
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, destroy->left);
  g_autoptr (PgRows) gone = step_apply_text (destroy->step, error, rows_text (made, 0, "table_name"), "deleted",
                                             rows_text (made, 0, "remove"), "user_id", destroy->user_id, "limit", limit, NULL);
  if (gone == NULL)
    return FALSE;
  *removed = rows_count (gone);
  if (*removed > 0 && rows_text (made, 0, "unseen") != NULL)
    warn_unseen (destroy, rows_text (made, 0, "unseen"));
  destroy->left -= *removed;
  return TRUE;
}

static gboolean
refuse_projects (Destroy *destroy, GError **error)
{
  g_autoptr (PgRows) projects = step_query (destroy->step, error, "projects_left", "user_id", destroy->user_id, NULL);
  if (projects == NULL)
    return FALSE;
  if (rows_bool (projects, 0, "there"))
    return step_fail (destroy->step, error, PRUNED_DATA, "projects left in the personal namespace");
  return TRUE;
}

static void
announce (Destroy *destroy)
{
  const char *reason = step_arg (destroy->step, "reason");
  step_count (destroy->step, "removed", 1);
  step_count (destroy->step, "updated_rows", 1);
  step_outcome (destroy->step, "UserDeleted", destroy->user_id,
                json_pack ("{s:s, s:s, s:s}", "user_id", destroy->user_id, "user_type", destroy->user_type, "reason",
                           reason != NULL ? reason : ""));
}

gboolean
users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
{
  if (!refuse_projects (destroy, error))
    return FALSE;
  g_autoptr (PgRows) roots = step_query (destroy->step, error, "finish", NULL);
  if (roots == NULL)
    return FALSE;
  int last = rows_count (roots) - 1; /* the user himself */
  int removed = 0, next = 0;
  for (; next <= last && destroy->left > 0; next++)
    if (!sweep (destroy, rows_text (roots, next, "relation"), rows_text (roots, next, "condition"), 0, &removed, error))
      return FALSE;
  gboolean gone = next > last && removed > 0;
  *more = !gone && destroy->left <= 0;
  if (*more)
    users_destroy_continue (destroy, "finish", NULL);
  else if (!gone)
    return step_fail (destroy->step, error, PRUNED_DATA, "user %s was not removed (a trigger or a rule keeps the row)",
                      destroy->user_id);
  else
    announce (destroy);
  return TRUE;
}
