/* What is only the user's is deleted, and last himself: rows that foreign keys would take along first, each by a statement of its
 * own, so that the audit sees them. Whatever a key forbids raises its error: a reason in the data.
 */
#include "users_destroy.h"

#include "jobs/shared/sweep.h"

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
                json_pack ("{s:s, s:s*, s:s*}", "user_id", destroy->user_id, "user_type", destroy->user_type, "reason",
                           reason != NULL ? reason : ""));
}

gboolean
users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
{
  if (!refuse_projects (destroy, error))
    return FALSE;
  /* They want outcomes, files and authorizations, or belong to something else that stays. */
  static const char *const refused[] = { "projects", "namespaces", "users", "members", "ci_job_artifacts", "routes", "redirect_routes", NULL };
  g_autoptr (PgRows) roots = step_query (destroy->step, error, "finish", NULL);
  if (roots == NULL)
    return FALSE;
  int last = rows_count (roots) - 1; /* the user himself */
  int removed = 0, next = 0;
  Sweep sweep = { .step = destroy->step, .user_id = destroy->user_id, .refused = refused, .left = destroy->left };
  for (; next <= last && sweep.left > 0; next++)
    if (!sweep_rows (&sweep, rows_text (roots, next, "relation"), rows_text (roots, next, "condition"), 0, &removed, error))
      return FALSE;
  gboolean gone = next > last && removed > 0;
  *more = !gone && sweep.left <= 0;
  if (*more)
    users_destroy_continue (destroy, "finish", NULL);
  else if (!gone)
    return step_fail (destroy->step, error, PRUNED_DATA, "user %s was not removed (a trigger or a rule keeps the row)",
                      destroy->user_id);
  else
    announce (destroy);
  return TRUE;
}
