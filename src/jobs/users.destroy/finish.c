/* Deletes the rows that are only the user's, and finally the user. Rows that foreign keys would
 * take along are deleted first, each table's by a statement of its own, so that the audit records
 * them. A key that forbids the delete raises its error: a reason in the data.
 */
#include "finish.h"

#include "references.h"

#include "jobs/shared/sweep.h"

#define LOOKS 10
#define MEMBERSHIPS "members.user_id" /* of left.sql */

void
users_destroy_announce (Destroy *destroy)
{
  const char *reason = step_arg (destroy->step, "reason");
  step_count (destroy->step, "removed", 1);
  step_count (destroy->step, "updated_rows", 1);
  step_outcome (destroy->step, "UserDeleted", destroy->user_id,
                json_pack ("{s:s, s:s*, s:s*}", "user_id", destroy->user_id, "user_type",
                           destroy->user_type, "reason", reason != NULL ? reason : ""));
}

/* FOUND: columns that were done, with rows that a trigger or the application has inserted. If there
 * are some, the columns are walked through again, at most LOOKS times; memberships are removed as
 * in the first stage, so they are announced. *AGAIN: they are. */
static gboolean
take_last_look (Destroy *destroy, const PgRows *found, gboolean *again, GError **error)
{
  *again = rows_count (found) > 0;
  if (*again && ++destroy->looks > LOOKS)
    return step_fail (
        destroy->step, error, PRUNED_DATA,
        "rows of %s that refer to user %s keep being inserted (by a trigger or the application): "
        "stop that, then `pruned retry`",
        rows_text (found, 0, "name"), destroy->user_id);
  if (*again)
    users_destroy_continue (
        destroy, rows_has (found, "name", MEMBERSHIPS) ? "memberships" : "references", NULL);
  return TRUE;
}

/* The user's row is deleted. Checks that its triggers have not inserted rows that refer to the
 * user.
 */
static gboolean
finish_user (Destroy *destroy, GError **error)
{
  g_autoptr (PgRows) found = users_destroy_look (destroy, error);
  if (found == NULL)
    return FALSE;
  if (rows_count (found) > 0)
    return step_fail (
        destroy->step, error, PRUNED_DATA,
        "%s refers to user %s again as soon as they are deleted (a trigger inserts such rows)",
        rows_text (found, 0, "name"), destroy->user_id);
  users_destroy_announce (destroy);
  return TRUE;
}

static gboolean
sweep_root (Sweep *sweep, const PgRows *roots, int row, int *removed, GError **error)
{
  return sweep_rows (sweep, rows_text (roots, row, "relation"), rows_text (roots, row, "condition"),
                     0, removed, error);
}

/* Removes what is only the user's, as far as it is there; *MORE: the step's limit is reached. */
static gboolean
sweep_owned (Destroy *destroy, Sweep *sweep, const PgRows *roots, const PgRows *there,
             gboolean *more, GError **error)
{
  int removed, last = rows_count (roots) - 1; /* the user */
  for (int i = 0; i < last && sweep->left > 0; i++)
    if (rows_has (there, "number", rows_text (roots, i, "number"))
        && !sweep_root (sweep, roots, i, &removed, error))
      return FALSE;
  *more = sweep->left <= 0;
  if (*more)
    users_destroy_continue (destroy, "finish", NULL);
  return TRUE;
}

/* Asks what is only the user's, and what refers to them. */
static GPtrArray *
look_at_both (Destroy *destroy, const PgRows *roots, GError **error)
{
  gboolean queued = users_destroy_prepare_look (destroy, error)
                    && users_queue_text (destroy->users, rows_text (roots, 0, "probe"), error)
                    && users_destroy_queue_look (destroy, error);
  return queued ? step_send (destroy->step, error) : NULL;
}

/* Removes what is only the user's until a look finds no more of it: a row can come while others
 * go. What nothing removes stays, and the delete of the user tells. */
static gboolean
sweep_all_owned (Destroy *destroy, Sweep *sweep, const PgRows *roots, const PgRows *first,
                 gboolean *more, GError **error)
{
  gint64 before = sweep->left;
  if (!sweep_owned (destroy, sweep, roots, first, more, error))
    return FALSE;
  while (!*more) {
    g_autoptr (GPtrArray) both = look_at_both (destroy, roots, error);
    if (both == NULL)
      return FALSE;
    if (rows_count (both->pdata[0]) == 0 || sweep->left == before)
      return take_last_look (destroy, both->pdata[1], more, error);
    before = sweep->left;
    if (!sweep_owned (destroy, sweep, roots, both->pdata[0], more, error))
      return FALSE;
  }
  return TRUE;
}

/* Locks the user, and looks for what is only theirs: the last of the answers. NULL with an error:
 * they have projects of their own. */
static GPtrArray *
hold_user (Destroy *destroy, const PgRows *roots, GError **error)
{
  Step *step = destroy->step;
  gboolean queued = users_queue_hold (destroy->users, error)
                    && step_queue (step, error, "projects_left", "user_id", destroy->user_id, NULL)
                    && users_queue_text (destroy->users, rows_text (roots, 0, "probe"), error);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL
      || (rows_bool (all->pdata[1], 0, "there")
          && !step_fail (step, error, PRUNED_DATA, "projects left in the personal namespace")))
    return NULL;
  return g_steal_pointer (&all);
}

gboolean
users_destroy_finish (Destroy *destroy, gboolean *more, GError **error)
{
  static const char *const refused[] = NOT_WITH_THE_USER;
  const PgRows *roots = step_query_kept (destroy->step, destroy->stamp, error, "finish", NULL);
  g_autoptr (GPtrArray) held = roots != NULL ? hold_user (destroy, roots, error) : NULL;
  if (held == NULL)
    return FALSE;
  int removed = 0;
  Sweep sweep = { .step = destroy->step,
                  .catalogue = destroy->stamp,
                  .user_id = destroy->user_id,
                  .refused = refused,
                  .left = destroy->left };
  if (!sweep_all_owned (destroy, &sweep, roots, held->pdata[2], more, error))
    return FALSE;
  if (*more)
    return TRUE;
  if (!sweep_root (&sweep, roots, rows_count (roots) - 1, &removed, error))
    return FALSE;
  *more = removed == 0 && sweep.left <= 0;
  if (removed > 0)
    return finish_user (destroy, error);
  if (!*more)
    return step_fail (destroy->step, error, PRUNED_DATA,
                      "user %s was not removed (a trigger or a rule keeps the row)",
                      destroy->user_id);
  users_destroy_continue (destroy, "finish", NULL);
  return TRUE;
}
