#include "users_destroy.h"

#include "asked.h"
#include "crowd.h"
#include "finish.h"
#include "memberships.h"
#include "references.h"

#include "jobs/shared/placeholder.h"
#include "jobs/shared/stamp.h"

#include <string.h>

/* Notes what USER, rows of user.sql, says; they stay the caller's. FALSE: the user does not exist.
 */
static gboolean
note_user (Destroy *destroy, const PgRows *user)
{
  if (rows_count (user) == 0)
    return FALSE;
  destroy->ghost_id = rows_text (user, 0, "ghost_id");
  destroy->user_type = rows_text (user, 0, "user_type");
  return TRUE;
}

static gboolean
no_ghost (Destroy *destroy, GError **error)
{
  return step_fail (
      destroy->step, error, PRUNED_DATA,
      "no ghost user in the instance (users.user_type 5) takes over what user %s wrote: "
      "once there is one, this is tried again by itself, or by `pruned retry` if the run is dead",
      destroy->user_id);
}

static gboolean
is_placeholder (const Destroy *destroy)
{
  return g_strcmp0 (step_arg (destroy->step, "reason"), PLACEHOLDER_REASON) == 0;
}

/* A placeholder can have been claimed, or be referred to, since it was handed over. */
static gboolean
ask_placeholder (Destroy *destroy, char **reason, GError **error)
{
  if (**reason != '\0' || !is_placeholder (destroy))
    return TRUE;
  g_autoptr (PgRows) found = placeholder_find (destroy->step, destroy->user_id, error);
  if (found == NULL)
    return FALSE;
  const char *why_not = placeholder_why_not (found);
  g_autoptr (PgRows) reference
      = why_not == NULL
            ? placeholder_reference (destroy->step, destroy->stamp, destroy->user_id, error)
            : NULL;
  if (why_not == NULL && reference == NULL)
    return FALSE;
  g_free (*reason);
  *reason = why_not != NULL ? g_strdup (why_not)
            : rows_count (reference) > 0
                ? g_strdup_printf ("still referenced in %s.%s", rows_text (reference, 0, "table"),
                                   rows_text (reference, 0, "column"))
                : g_strdup ("");
  return TRUE;
}

/* A user who was a project's bot when the removal was decided, and is none when it begins, stays.
 */
static void
ask_bot (Destroy *destroy, char **reason)
{
  static const char *const of_bots[]
      = { "Membership expired", "Project deleted", "Group deleted", NULL };
  const char *why = step_arg (destroy->step, "reason");
  if (**reason != '\0' || why == NULL || !g_strv_contains (of_bots, why)
      || g_strcmp0 (destroy->user_type, BOT) == 0)
    return;
  g_free (*reason);
  *reason = g_strdup ("the user is no project bot");
}

static gboolean
further_memberships (Destroy *destroy, GError **error)
{
  g_autoptr (GPtrArray) all = users_queue_page (destroy->users, destroy->left, error)
                                  ? step_send (destroy->step, error)
                                  : NULL;
  return all != NULL && users_destroy_memberships (destroy, all->pdata[0], error);
}

/* Blocks the user, if needed, records that the migration to the ghost user has begun, and removes
 * the first memberships. DEFERRED: a trigger that waits could set that back. The run's own row is
 * the user: it is counted when the user is deleted, or here if the application does that. */
static gboolean
mark (Destroy *destroy, gboolean deferred, GError **error)
{
  Step *step = destroy->step;
  const Users *users = destroy->users;
  gboolean queued = users_queue_mark (users, error)
                    && (!deferred || step_queue (step, error, "../shared/run_deferred", NULL))
                    && users_queue (users, error) && users_queue_page (users, destroy->left, error);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *user = all->pdata[deferred ? 3 : 2];
  if (rows_count (user) == 0 || !rows_bool (user, 0, "blocked"))
    return step_fail (step, error, PRUNED_DATA,
                      "users.state: user %s was not blocked (a trigger or a rule keeps the row)",
                      destroy->user_id);
  if (!step_setting_bool (step, "finish"))
    step_count (step, "updated_rows", rows_int (all->pdata[0], 0, "n"));
  destroy->migration = rows_count (all->pdata[1]) > 0;
  return users_destroy_memberships (destroy, all->pdata[deferred ? 4 : 3], error);
}

/* A placeholder who stays for REASON can have had the last attempt. */
static gboolean
abandon (Destroy *destroy, const char *reason, GError **error)
{
  return !is_placeholder (destroy)
         || placeholder_abandon (destroy->step, destroy->user_id, reason, error);
}

static gboolean
keep (Destroy *destroy, const char *reason, GError **error)
{
  step_log (destroy->step, LOG_WARNING, "User is not destroyed",
            json_pack ("{s:s, s:s}", "user_id", destroy->user_id, "reason", reason));
  step_count (destroy->step, "kept", 1);
  step_reason (destroy->step, reason);
  return abandon (destroy, reason, error);
}

/* Locks in the common order (namespaces, users, members), and reads the user, why they must stay,
 * and whether a trigger can set back later what marks them. */
static GPtrArray *
lock_all (Destroy *destroy, GError **error)
{
  Step *step = destroy->step;
  const char *user = destroy->user_id;
  gboolean queued = step_queue (step, error, "begin/10-namespaces", "user_id", user, NULL)
                    && step_queue (step, error, "begin/20-users", "user_id", user, NULL)
                    && users_queue (destroy->users, error)
                    && step_queue (step, error, "begin/40-owners", "user_id", user, NULL)
                    && step_queue (step, error, "begin/refuse", "user_id", user, NULL)
                    && step_queue (step, error, "../shared/deferred", "tables",
                                   "{users,ghost_user_migrations}", NULL);
  return queued ? step_send (step, error) : NULL;
}

static gboolean
begin (Destroy *destroy, GError **error)
{
  g_autoptr (GPtrArray) all
      = users_destroy_look_for_hidden (destroy, error) ? lock_all (destroy, error) : NULL;
  if (all == NULL)
    return FALSE;
  if (!note_user (destroy, all->pdata[2])) {
    step_count (destroy->step, "gone", 1);
    return TRUE;
  }
  const char *refusal = rows_text (all->pdata[4], 0, "reason");
  g_autofree char *reason = g_strdup (refusal != NULL ? refusal : "");
  if (!ask_placeholder (destroy, &reason, error))
    return FALSE;
  ask_bot (destroy, &reason);
  if (*reason != '\0')
    return keep (destroy, reason, error);
  if (destroy->ghost_id == NULL)
    return no_ghost (destroy, error);
  gboolean waits;
  if (!users_destroy_look_for_held (destroy, error))
    return FALSE;
  if (!users_destroy_wait_for_groups (destroy, &waits, error))
    return FALSE;
  return waits || mark (destroy, rows_bool (all->pdata[5], 0, "waits"), error);
}

/* *REASON: why the removal is called off half-way; NULL: it is not. */
static gboolean
ask_again (Destroy *destroy, const PgRows *user, const char **reason, GError **error)
{
  const char *was = users_cursor_text (destroy->step, "user_type");
  *reason = !rows_bool (user, 0, "blocked") ? "the user is no longer blocked"
            : was != NULL && g_strcmp0 (was, destroy->user_type) != 0
                ? "the user's type has changed"
                : NULL;
  if (*reason != NULL || !is_placeholder (destroy))
    return TRUE;
  g_autoptr (PgRows) found = placeholder_find (destroy->step, destroy->user_id, error);
  *reason = found != NULL ? placeholder_why_not (found) : NULL;
  return found != NULL;
}

/* The user stays, with what they still have; the application must not continue the removal. */
static gboolean
call_off (Destroy *destroy, const char *reason, GError **error)
{
  g_autoptr (PgRows) gone = destroy->migration ? step_apply (destroy->step, error,
                                                             "called_off/10-ghost_user_migrations",
                                                             "user_id", destroy->user_id, NULL)
                                               : NULL;
  if (destroy->migration && gone == NULL)
    return FALSE;
  step_log (destroy->step, LOG_WARNING,
            "Removal of the user called off; what was already removed stays removed",
            json_pack ("{s:s, s:s}", "user_id", destroy->user_id, "reason", reason));
  step_count (destroy->step, "kept", 1);
  step_reason (destroy->step, reason);
  return abandon (destroy, reason, error);
}

/* Locks and reads the user; before the second stage also the columns that refer to them. */
static GPtrArray *
read_user (Destroy *destroy, gboolean look, GError **error)
{
  gboolean queued = (!look || users_destroy_prepare_look (destroy, error))
                    && users_queue (destroy->users, error)
                    && (!look || users_destroy_queue_look (destroy, error));
  return queued ? step_send (destroy->step, error) : NULL;
}

static gboolean
resume (Destroy *destroy, const char *stage, GError **error)
{
  gboolean more = FALSE, look = g_str_equal (stage, "references");
  g_autoptr (GPtrArray) all = read_user (destroy, look, error);
  const PgRows *user = all != NULL ? all->pdata[0] : NULL;
  const char *reason;
  if (user == NULL || !note_user (destroy, user))
    return user != NULL;
  destroy->migration = json_is_true (json_object_get (step_cursor (destroy->step), "migration"));
  destroy->looks = (int)json_integer_value (json_object_get (step_cursor (destroy->step), "looks"));
  if (!ask_again (destroy, user, &reason, error))
    return FALSE;
  if (reason != NULL)
    return call_off (destroy, reason, error);
  if (g_str_equal (stage, "memberships"))
    return further_memberships (destroy, error);
  if (destroy->ghost_id == NULL)
    return no_ghost (destroy, error);
  if (look && !users_destroy_references (destroy, all->pdata[1], &more, error))
    return FALSE;
  return more || users_destroy_finish (destroy, &more, error);
}

static gboolean
step_one (Step *step, GError **error)
{
  Destroy destroy = { .step = step,
                      .user_id = step_arg (step, "user_id"),
                      .left = step_limit (step, step_setting (step, "batch")) };
  if (destroy.user_id == NULL)
    return step_fail (step, error, PRUNED_REJECT, "missing argument user_id");
  static const char *const stages[] = { "memberships", "references", "finish", NULL };
  const char *stage = users_cursor_text (step, "stage");
  if (stage != NULL && !g_strv_contains (stages, stage))
    return step_fail (step, error, PRUNED_REJECT, "the run's cursor: there is no stage '%s'",
                      stage);
  g_autofree char *stamp = stamp_begin (step, "names", OWN_LIST (step), ALSO_LIST (step), error);
  if (stamp == NULL)
    return FALSE;
  g_auto (Users) users = { 0 };
  users_list (&users, &step, NULL, 1);
  destroy.stamp = stamp;
  destroy.users = &users;
  return stage == NULL ? begin (&destroy, error) : resume (&destroy, stage, error);
}

gboolean
users_destroy_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  if (n == 1)
    return step_one (steps[0], error);
  if (!step_rows_are_held (steps[0]))
    return crowd_step (steps, n, fits, error);
  for (guint i = 0; i < n; i++)
    fits[i] = FALSE;
  return TRUE;
}
