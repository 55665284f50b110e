/* What is only the user's is deleted, and last himself: rows that foreign keys would take along
 * first, each by a statement of its own, so that the audit sees them. Whatever a key forbids raises
 * its error: a reason in the data.
 */
#include "users_destroy.h"

#include "jobs/shared/sweep.h"

#define LOOKS 10

static gboolean
refuse_projects (Destroy *destroy, GError **error)
{
  g_autoptr (PgRows) projects
      = step_query (destroy->step, error, "projects_left", "user_id", destroy->user_id, NULL);
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
                json_pack ("{s:s, s:s*, s:s*}", "user_id", destroy->user_id, "user_type",
                           destroy->user_type, "reason", reason != NULL ? reason : ""));
}

/* What came into a column that was done already, by a trigger or by the application: the columns
 * are gone through again, but not for ever. *AGAIN: they are. */
static gboolean
last_look (Destroy *destroy, gboolean *again, GError **error)
{
  g_autofree char *name = NULL;
  *again = FALSE;
  if (!users_destroy_look (destroy, &name, error))
    return FALSE;
  if (name != NULL && ++destroy->looks > LOOKS)
    return step_fail (
        destroy->step, error, PRUNED_DATA,
        "rows of %s that refer to user %s keep coming (a trigger or the application makes "
        "them): end that, then `pruned retry`",
        name, destroy->user_id);
  *again = name != NULL;
  if (*again)
    users_destroy_continue (destroy, "references", NULL);
  return TRUE;
}

/* His own row has gone, and what refers to him had gone before: unless that row's own triggers have
 * made some more. */
static gboolean
after_him (Destroy *destroy, GError **error)
{
  g_autofree char *name = NULL;
  if (!users_destroy_look (destroy, &name, error))
    return FALSE;
  if (name != NULL)
    return step_fail (
        destroy->step, error, PRUNED_DATA,
        "%s refers to user %s again as soon as he is deleted (a trigger makes such rows)", name,
        destroy->user_id);
  announce (destroy);
  return TRUE;
}

static gboolean
sweep_root (Sweep *sweep, const PgRows *roots, int row, int *removed, GError **error)
{
  return sweep_rows (sweep, rows_text (roots, row, "relation"), rows_text (roots, row, "condition"),
                     0, removed, error);
}

/* What is only his; *MORE: the step has done its share. */
static gboolean
sweep_his (Destroy *destroy, Sweep *sweep, const PgRows *roots, int last, gboolean *more,
           GError **error)
{
  int removed;
  for (int i = 0; i < last && sweep->left > 0; i++)
    if (!sweep_root (sweep, roots, i, &removed, error))
      return FALSE;
  *more = sweep->left <= 0;
  if (*more)
    users_destroy_continue (destroy, "finish", NULL);
  return *more || last_look (destroy, more, error);
}

gboolean
users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
{
  g_autoptr (PgRows) held
      = step_query (destroy->step, error, "hold", "user_id", destroy->user_id, NULL);
  if (held == NULL || !refuse_projects (destroy, error))
    return FALSE;
  /* They want outcomes, files and authorizations, or belong to something else that stays. */
  static const char *const refused[]
      = { "projects",         "namespaces", "users",           "members",
          "ci_job_artifacts", "routes",     "redirect_routes", NULL };
  g_autoptr (PgRows) roots = step_query (destroy->step, error, "finish", NULL);
  if (roots == NULL)
    return FALSE;
  int last = rows_count (roots) - 1; /* the user himself */
  int removed = 0;
  Sweep sweep = {
    .step = destroy->step, .user_id = destroy->user_id, .refused = refused, .left = destroy->left
  };
  if (!sweep_his (destroy, &sweep, roots, last, more, error))
    return FALSE;
  if (*more)
    return TRUE;
  if (!sweep_root (&sweep, roots, last, &removed, error))
    return FALSE;
  *more = removed == 0 && sweep.left <= 0;
  if (removed > 0)
    return after_him (destroy, error);
  if (!*more)
    return step_fail (destroy->step, error, PRUNED_DATA,
                      "user %s was not removed (a trigger or a rule keeps the row)",
                      destroy->user_id);
  users_destroy_continue (destroy, "finish", NULL);
  return TRUE;
}
