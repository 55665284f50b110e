#include "asked.h"

#define AGAIN_MS G_GINT64_CONSTANT (3600000) /* a deletion that ends brings it forward */

/* *THERE: the user has marked groups for deletion; the marks are locked. */
static gboolean
lock_marks (Destroy *destroy, gboolean *there, GError **error)
{
  const PgRows *made = step_query_kept (destroy->step, destroy->stamp, error, "marks", NULL);
  *there = FALSE;
  if (made == NULL || rows_text (made, 0, "sql") == NULL)
    return made != NULL;
  g_autoptr (PgRows) marks = step_query_text (destroy->step, error, rows_text (made, 0, "sql"),
                                              "user_id", destroy->user_id, NULL);
  *there = marks != NULL && rows_count (marks) > 0;
  return marks != NULL;
}

gboolean
users_destroy_wait_for_groups (Destroy *destroy, gboolean *waits, GError **error)
{
  gboolean there;
  *waits = FALSE;
  if (g_strcmp0 (destroy->user_type, BOT) != 0)
    return TRUE;
  if (!lock_marks (destroy, &there, error))
    return FALSE;
  g_autoptr (PgRows) asked
      = there ? step_query (destroy->step, error, "asked", "user_id", destroy->user_id, NULL)
              : NULL;
  if (there && asked == NULL)
    return FALSE;
  *waits = asked != NULL && rows_count (asked) > 0;
  if (!*waits)
    return TRUE;
  g_autofree char *reason = g_strdup_printf (
      "user %s has asked for the deletion of group %s, which has begun, and goes after it",
      destroy->user_id, rows_text (asked, 0, "group_id"));
  step_wait (destroy->step, reason, json_pack ("{s:b}", "asked", TRUE), AGAIN_MS);
  return TRUE;
}
