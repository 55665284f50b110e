#include "users_destroy.h"

#include "jobs/shared/hidden.h"
#include "jobs/shared/placeholder.h"

#include <string.h>

/* FALSE without an error: the user does not exist. */
static gboolean
find_user (Destroy *destroy, PgRows **user, GError **error)
{
  const char *ghost = json_string_value (json_object_get (step_cursor (destroy->step), "ghost_id"));
  *user = step_query (destroy->step, error, "user", "user_id", destroy->user_id, "ghost_id", ghost,
                      NULL);
  if (*user == NULL || rows_count (*user) == 0)
    return FALSE;
  destroy->ghost_id = rows_text (*user, 0, "ghost_id");
  destroy->user_type = rows_text (*user, 0, "user_type");
  return TRUE;
}

static gboolean
query (Destroy *destroy, const char *file, GError **error)
{
  g_autoptr (PgRows) rows
      = step_query (destroy->step, error, file, "user_id", destroy->user_id, NULL);
  return rows != NULL;
}

/* Blocks the user, if needed, and records that the migration to the ghost user has begun. The run's
 * own row is the user: it is counted when the user is deleted, or here if the application does
 * that. */
static gboolean
mark (Destroy *destroy, GError **error)
{
  g_autoptr (PgRows) blocked = step_apply (destroy->step, error, "begin/50-users.update", "user_id",
                                           destroy->user_id, NULL);
  if (blocked == NULL)
    return FALSE;
  if (!step_setting_bool (destroy->step, "finish"))
    step_count (destroy->step, "updated_rows", rows_count (blocked));
  g_autoptr (PgRows) migration
      = step_apply (destroy->step, error, "begin/60-ghost_user_migrations.insert", "user_id",
                    destroy->user_id, NULL);
  destroy->migration = migration != NULL && rows_count (migration) > 0;
  return migration != NULL;
}

/* *REASON: why the user stays; "" if they do not. */
static gboolean
ask_refusals (Destroy *destroy, char **reason, GError **error)
{
  g_autoptr (PgRows) rows
      = step_query (destroy->step, error, "begin/refuse", "user_id", destroy->user_id, NULL);
  if (rows == NULL)
    return FALSE;
  const char *text = rows_text (rows, 0, "reason");
  *reason = g_strdup (text != NULL ? text : "");
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
      = why_not == NULL ? placeholder_reference (destroy->step, destroy->user_id, error) : NULL;
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
      || g_strcmp0 (destroy->user_type, "6") == 0)
    return;
  g_free (*reason);
  *reason = g_strdup ("the user is no project bot");
}

/* The effects of a removed membership, for all rows of PAGE. */
static gboolean
drop_memberships (Destroy *destroy, const PgRows *page, GError **error)
{
  static const char *const effects[]
      = { "members/20-notification_settings", "members/30-todos.update",
          "members/40-dirty_users.insert" };
  g_autofree char *keys = rows_array (page, "key"), *users = rows_array (page, "user_id"),
                  *ids = rows_array (page, "source_id"), *types = rows_array (page, "source_type");
  step_tries (destroy->step, rows_count (page));
  g_autoptr (PgRows) gone = step_apply (destroy->step, error, "members/10-members", "key", keys,
                                        "user", destroy->user_id, NULL);
  if (gone == NULL)
    return FALSE;
  if (rows_count (gone) < rows_count (page))
    return step_fail (destroy->step, error, PRUNED_DATA,
                      "%d memberships of user %s were not removed (a trigger or a rule keeps them)",
                      rows_count (page) - rows_count (gone), destroy->user_id);
  for (guint i = 0; i < G_N_ELEMENTS (effects); i++) {
    g_autoptr (PgRows) done = step_apply (destroy->step, error, effects[i], "user_id", users,
                                          "source_id", ids, "source_type", types, NULL);
    if (done == NULL)
      return FALSE;
  }
  g_autoptr (json_t) constants = json_pack ("{s:s}", "reason", "user_destroyed");
  step_outcomes (destroy->step, "MemberRemoved", page, "key", constants);
  return TRUE;
}

static gboolean
memberships (Destroy *destroy, GError **error)
{
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, destroy->left);
  g_autoptr (PgRows) page = step_query (destroy->step, error, "members/page", "user_id",
                                        destroy->user_id, "limit", limit, NULL);
  if (page == NULL || (rows_count (page) > 0 && !drop_memberships (destroy, page, error)))
    return FALSE;
  if (rows_count (page) == destroy->left)
    users_destroy_continue (destroy, "memberships", NULL);
  else if (step_setting_bool (destroy->step, "finish"))
    users_destroy_continue (destroy, "references", NULL);
  return TRUE;
}

/* FALSE with an error: row-level security hides rows that could be neither moved nor kept. */
static gboolean
look_for_hidden (Destroy *destroy, GError **error)
{
  const char *own = step_setting_text (destroy->step, "references"),
             *of_placeholders = step_setting_text_of (destroy->step, PLACEHOLDER_JOB, "references");
  g_autoptr (PgRows) rows = step_query (destroy->step, error, "hidden", "references", own, "also",
                                        of_placeholders, NULL);
  return rows != NULL && hidden_refuse_rows (destroy->step, rows, error)
         && hidden_refuse (destroy->step, "{users,members,namespaces}",
                           "{projects,ci_job_artifacts}", error);
}

/* Locks in the common order: namespaces, users, members. */
static gboolean
begin (Destroy *destroy, GError **error)
{
  g_autoptr (PgRows) user = NULL;
  g_autofree char *reason = NULL;
  if (!look_for_hidden (destroy, error) || !query (destroy, "begin/10-namespaces", error)
      || !query (destroy, "begin/20-users", error))
    return FALSE;
  if (!find_user (destroy, &user, error)) {
    step_count (destroy->step, "gone", user != NULL);
    return user != NULL;
  }
  if (!query (destroy, "begin/40-owners", error) || !ask_refusals (destroy, &reason, error)
      || !ask_placeholder (destroy, &reason, error))
    return FALSE;
  ask_bot (destroy, &reason);
  if (*reason == '\0' && destroy->ghost_id == NULL)
    return no_ghost (destroy, error);
  if (*reason != '\0') {
    step_log (destroy->step, LOG_WARNING, "User is not destroyed",
              json_pack ("{s:s, s:s}", "user_id", destroy->user_id, "reason", reason));
    step_count (destroy->step, "kept", 1);
    step_reason (destroy->step, reason);
    return TRUE;
  }
  return mark (destroy, error) && memberships (destroy, error);
}

/* *REASON: why the removal is called off half-way; NULL: it is not. */
static gboolean
ask_again (Destroy *destroy, const PgRows *user, const char **reason, GError **error)
{
  const char *was = json_string_value (json_object_get (step_cursor (destroy->step), "user_type"));
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
            "User is wanted again: they stay, without what has been removed",
            json_pack ("{s:s, s:s}", "user_id", destroy->user_id, "reason", reason));
  step_count (destroy->step, "kept", 1);
  step_reason (destroy->step, reason);
  return TRUE;
}

static gboolean
resume (Destroy *destroy, const char *stage, GError **error)
{
  g_autoptr (PgRows) user = NULL;
  gboolean more = FALSE;
  const char *reason;
  if (!find_user (destroy, &user, error))
    return user != NULL;
  destroy->migration = json_is_true (json_object_get (step_cursor (destroy->step), "migration"));
  destroy->looks = (int)json_integer_value (json_object_get (step_cursor (destroy->step), "looks"));
  if (!ask_again (destroy, user, &reason, error))
    return FALSE;
  if (reason != NULL)
    return call_off (destroy, reason, error);
  if (g_str_equal (stage, "memberships"))
    return memberships (destroy, error);
  if (destroy->ghost_id == NULL)
    return no_ghost (destroy, error);
  if (g_str_equal (stage, "references") && !users_destroy_references (destroy, &more, error))
    return FALSE;
  return more || users_destroy_finish (destroy, &more, error);
}

gboolean
users_destroy_step (Step *step, GError **error)
{
  Destroy destroy = { .step = step,
                      .user_id = step_arg (step, "user_id"),
                      .left = step_limit (step, step_setting (step, "batch")) };
  if (destroy.user_id == NULL)
    return step_fail (step, error, PRUNED_REJECT, "missing argument user_id");
  static const char *const stages[] = { "memberships", "references", "finish", NULL };
  const char *stage = json_string_value (json_object_get (step_cursor (step), "stage"));
  if (stage != NULL && !g_strv_contains (stages, stage))
    return step_fail (step, error, PRUNED_REJECT, "the run's cursor: there is no stage '%s'",
                      stage);
  g_autoptr (PgRows) seen = step_query (step, error, "../shared/see_all", NULL);
  if (seen == NULL)
    return FALSE;
  return stage == NULL ? begin (&destroy, error) : resume (&destroy, stage, error);
}
