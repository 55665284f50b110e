#include "jobs/groups.destroy/destroy.h"

#include "jobs/jobs.h"

/* FALSE without an error: the hierarchy contradicts itself, and nothing is touched. */
static gboolean
begin (Walk *walk, GError **error)
{
  g_autoptr (PgRows) wrong = step_query (walk->step, error, "verify", "group", walk->group, NULL);
  if (wrong == NULL)
    return FALSE;
  if (rows_count (wrong) > 0)
    {
      g_autofree char *ids = rows_array (wrong, "id");
      g_autofree char *reason = g_strdup_printf ("traversal_ids and parent_id of groups %s contradict each other", ids);
      step_count (walk->step, "failed", 1);
      step_reason (walk->step, reason);
      step_log (walk->step, LOG_ERROR, "Group cannot be deleted",
                json_pack ("{s:O, s:s}", "group_id", json_object_get (step_args (walk->step), "group_id"), "reason", reason));
      return FALSE;
    }
  return batch_warn (walk->step, "projects", error) && batch_warn (walk->step, "groups", error);
}

/* Not marked any more, or no right any more: what is gone is gone, the rest stays in use. */
static gboolean
cancel (Step *step, const PgRows *decided, const char *group, GError **error)
{
  g_autoptr (PgRows) cleared = step_apply (step, error, "cancel/20-namespace_details.update", "group", group, NULL);
  if (cleared == NULL)
    return FALSE;
  step_count (step, "cancelled", 1);
  if (rows_count (decided) > 0 && rows_text (decided, 0, "reason") != NULL)
    step_reason (step, rows_text (decided, 0, "reason"));
  return TRUE;
}

/* A first step that failed may have left the engine's own keys in the cursor. */
static gboolean
is_first (const Step *step)
{
  return json_object_get (step_cursor (step), "stage") == NULL;
}

/* The decision of the step, under the locks of lock/: in the first with what follows from it, later to be looked at. */
static PgRows *
decide (Step *step, const char *keys, GError **error)
{
  if (is_first (step))
    return step_page (step, error, keys, NULL);
  static const char *const locks[] = { "lock/10-namespaces", "lock/40-group_deletion_schedules" };
  for (guint i = 0; i < G_N_ELEMENTS (locks); i++)
    {
      g_autoptr (PgRows) locked = step_query (step, error, locks[i], "key", keys, NULL);
      if (locked == NULL)
        return NULL;
    }
  return step_query (step, error, "decide", "key", keys, "gone", "{}", NULL);
}

gboolean
destroy_group_step (Step *step, GError **error)
{
  const char *group = step_arg (step, "group_id");
  g_autofree char *keys = g_strdup_printf ("{%s}", group);
  step_on_failure (step, "unmark");
  g_autoptr (PgRows) decided = decide (step, keys, error);
  if (decided == NULL)
    return FALSE;
  const char *what = rows_count (decided) > 0 ? rows_text (decided, 0, "what") : "gone";
  gboolean first = is_first (step);
  if (!g_str_equal (what, "due"))
    {
      if (!first || g_str_equal (what, "in_progress"))
        return cancel (step, decided, group, error);
      const char *reason = rows_count (decided) > 0 ? rows_text (decided, 0, "reason") : NULL;
      if (reason != NULL)
        step_reason (step, reason);
      return TRUE;
    }
  g_autoptr (json_t) cursor = first ? json_pack ("{s:s}", "stage", "refresh") : json_deep_copy (step_cursor (step));
  json_object_del (cursor, "limit");
  Walk walk = { step, group, rows_text (decided, 0, "root_namespace_id"), cursor };
  GError *cause = NULL;
  if (first && !begin (&walk, &cause))
    {
      if (cause != NULL)
        g_propagate_error (error, cause);
      return cause == NULL;
    }
  g_autoptr (PgRows) marked = step_apply (step, error, "mark/20-namespace_details.update", "group", group, NULL);
  return marked != NULL && walk_on (&walk, error);
}
