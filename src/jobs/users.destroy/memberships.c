#include "memberships.h"

#include "base/plural.h"
#include "jobs/shared/sweep.h"

static gboolean
drop_memberships (Destroy *destroy, const PgRows *page, GError **error)
{
  step_tries (destroy->step, rows_count (page));
  g_autoptr (GPtrArray) done = users_queue_memberships (destroy->users, page, error)
                                   ? step_send (destroy->step, error)
                                   : NULL;
  if (done == NULL)
    return FALSE;
  gint64 gone = rows_int (done->pdata[0], 0, "n");
  const int stay = rows_count (page) - (int)gone;
  if (stay > 0)
    return step_fail (destroy->step, error, PRUNED_DATA,
                      "%d %s of user %s %s not removed (a trigger or a rule keeps %s)", stay,
                      plural (stay, "membership", "memberships"), destroy->user_id,
                      plural (stay, "was", "were"), plural (stay, "it", "them"));
  g_autoptr (json_t) constants = json_pack ("{s:s}", "reason", "user_destroyed");
  step_outcomes (destroy->step, "MemberRemoved", page, "key", constants);
  return TRUE;
}

/* Removes what lies below the memberships of PAGE, which is locked. *CLEAR: nothing is left, and
 * the step's limit allows for them. */
static gboolean
sweep_below_page (Destroy *destroy, const PgRows *page, gboolean *clear, GError **error)
{
  static const char *const refused[] = NOT_WITH_THE_USER;
  g_autofree char *keys = rows_array (page, "key");
  Sweep sweep = { .step = destroy->step,
                  .catalogue = destroy->stamp,
                  .user_id = destroy->user_id,
                  .members = keys,
                  .refused = refused,
                  .left = destroy->left };
  if (!sweep_all_below (&sweep, "members", "x0.id = ANY (:member::bigint[])", error))
    return FALSE;
  destroy->left = sweep.left;
  *clear = rows_count (page) <= sweep.left;
  return TRUE;
}

gboolean
users_destroy_memberships (Destroy *destroy, const PgRows *page, GError **error)
{
  gboolean more = rows_count (page) == destroy->left, clear = FALSE;
  if (rows_count (page) > 0
      && (!sweep_below_page (destroy, page, &clear, error)
          || (clear && !drop_memberships (destroy, page, error))))
    return FALSE;
  if (more || (rows_count (page) > 0 && !clear))
    users_destroy_continue (destroy, "memberships", NULL);
  else if (step_setting_bool (destroy->step, "finish")) {
    users_destroy_continue (destroy, "references", NULL);
    step_may_follow (destroy->step);
  }
  return TRUE;
}
