/* Destroying a group. destroy.c checks whether the deletion is still wanted. walk.c walks through
 * the hierarchy: which groups and projects are next; chunk.c keeps these groups in the cursor.
 * drain.c and own.c remove what belongs to one portion of them (portion.c); members.c announces its
 * memberships. finish.c removes the portion itself. refuse.c reports what prevents the deletion.
 *
 * A portion is up to 100 groups of one depth, or up to 100 projects, and never more than `limit`.
 * What belongs to it is removed first, at most `limit` rows of a table in a step; once a step has
 * taken too long, one table a step and `limit` rows of it. The portion itself is removed when
 * nothing is left. It is locked before anything of it is removed, so that no transaction can insert
 * a row below it between the last check and its end.
 *
 * Invariant: a step removes nothing before it has locked the root and the portion, and has checked
 * mark and rights again after that (this file, drain.c). What gives the right stays locked until
 * the step ends, whatever it waits for.
 */
#include "jobs/groups.destroy/portion.h"
#include "jobs/groups.destroy/walk.h"
#include "jobs/jobs.h"
#include "jobs/shared/hidden.h"

#define NO_NAMES "tables", NULL, "columns", NULL, NULL

/* Rows of a table on which the role has no rights would go by the foreign key, unseen and without a
 * record. */
static gboolean
refuse_unseen (Step *step, const char *kind, const char *catalogue, GError **error)
{
  const PgRows *references
      = step_query_kept (step, catalogue, error, "references", "kind", kind, NULL);
  if (references == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (references); i++)
    if (!rows_bool (references, i, "may"))
      return step_block (step, error,
                         "%s has rows that would go with groups or projects, and this role may not "
                         "delete or change them: grant SELECT, UPDATE and DELETE",
                         rows_text (references, i, "table"));
  return TRUE;
}

/* FALSE without an error: the hierarchy contradicts itself, and nothing is touched. */
static gboolean
begin (Walk *walk, GError **error)
{
  g_autoptr (PgRows) wrong = step_query (walk->step, error, "verify", "group", walk->group, NULL);
  if (wrong == NULL)
    return FALSE;
  if (rows_count (wrong) > 0) {
    g_autofree char *ids = rows_array (wrong, "id");
    g_autofree char *reason
        = g_strdup_printf ("traversal_ids and parent_id of groups %s contradict each other", ids);
    step_count (walk->step, "failed", 1);
    step_reason (walk->step, reason);
    step_log (walk->step, LOG_ERROR, "Group cannot be deleted",
              json_pack ("{s:O, s:s}", "group_id",
                         json_object_get (step_args (walk->step), "group_id"), "reason", reason));
    return FALSE;
  }
  return refuse_unseen (walk->step, "projects", walk->catalogue, error)
         && refuse_unseen (walk->step, "groups", walk->catalogue, error)
         && portion_refuse_held (walk->step, walk->group, error)
         && portion_refuse_group (walk->step, walk->group, walk->catalogue, error);
}

/* A trigger that waits for the end of the transaction could set the mark back. */
static gboolean
run_deferred (Step *step, GError **error)
{
  g_autoptr (PgRows) deferred
      = step_query (step, error, "../shared/deferred", "tables", "{namespace_details}", NULL);
  if (deferred == NULL || !rows_bool (deferred, 0, "waits"))
    return deferred != NULL;
  g_autoptr (PgRows) done = step_query (step, error, "../shared/run_deferred", NULL);
  return done != NULL;
}

/* Sets or clears `deleted_at` by FILE: the application and the jobs rely on it. */
static gboolean
change_mark (Step *step, const char *file, gboolean wanted, const char *group, GError **error)
{
  g_autoptr (PgRows) changed = step_apply (step, error, file, "group", group, NULL);
  g_autoptr (PgRows) now = changed != NULL && run_deferred (step, error)
                               ? step_query (step, error, "marked", "group", group, NULL)
                               : NULL;
  if (now == NULL)
    return FALSE;
  return rows_count (now) == 0 || rows_bool (now, 0, "marked") == wanted
         || step_fail (step, error, PRUNED_DATA,
                       "namespace_details.deleted_at of group %s was not %s (a trigger or a rule "
                       "keeps the row)",
                       group, wanted ? "set" : "cleared");
}

/* The mark or the right is gone: removed rows stay removed, the rest stays in use. */
static gboolean
cancel (Step *step, const PgRows *decided, const char *group, GError **error)
{
  if (!change_mark (step, "cancel/20-namespace_details.update", FALSE, group, error))
    return FALSE;
  step_count (step, "cancelled", 1);
  if (!walk_end (step, step_cursor (step), error))
    return FALSE;
  if (rows_count (decided) > 0 && rows_text (decided, 0, "reason") != NULL)
    step_reason (step, rows_text (decided, 0, "reason"));
  return TRUE;
}

static gboolean
is_first (const Step *step)
{
  return json_object_get (step_cursor (step), "stage") == NULL;
}

/* It is not wanted any more. */
static gboolean
call_off (Step *step, const char *group, const char *keys, GError **error)
{
  g_autoptr (PgRows) decided = step_query (step, error, "decide", "key", keys, "gone", "{}", NULL);
  return decided != NULL && cancel (step, decided, group, error);
}

/* Continues the deletion; namespace_details shows that it is in progress. */
static gboolean
continue_walk (Walk *walk, gboolean marked, const char *keys, GError **error)
{
  if (!marked
      && !change_mark (walk->step, "mark/20-namespace_details.update", TRUE, walk->group, error))
    return FALSE;
  return walk_step (walk, error)
         && (!walk->unwanted || call_off (walk->step, walk->group, keys, error));
}

static gboolean
first_step (Step *step, const char *group, const char *keys, GError **error)
{
  g_autoptr (PgRows) decided = step_page (step, error, keys, NULL);
  if (decided == NULL)
    return FALSE;
  const char *what = rows_count (decided) > 0 ? rows_text (decided, 0, "what") : "gone";
  if (g_str_equal (what, "in_progress"))
    return cancel (step, decided, group, error);
  if (!g_str_equal (what, "due")) {
    const char *reason = rows_count (decided) > 0 ? rows_text (decided, 0, "reason") : NULL;
    if (reason != NULL)
      step_reason (step, reason);
    return TRUE;
  }
  g_autoptr (PgRows) catalogue = step_query (step, error, "../shared/catalogue", NO_NAMES);
  if (catalogue == NULL
      || !hidden_refuse (step, rows_text (catalogue, 0, "stamp"), PORTION_TABLES, "{users}", error))
    return FALSE;
  g_autoptr (json_t) cursor = json_pack ("{s:s}", "stage", "refresh");
  if (rows_bool (decided, 0, "spent")) /* by a dead run */
    json_object_set_new (cursor, "spent", json_true ());
  Walk walk = {
    step,   group, rows_text (decided, 0, "root_namespace_id"), rows_text (catalogue, 0, "stamp"),
    cursor, FALSE
  };
  GError *cause = NULL;
  if (begin (&walk, &cause))
    return continue_walk (&walk, FALSE, keys, error);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

/* Takes the locks of lock/, like the first step. */
static gboolean
later_step (Step *step, const char *group, const char *keys, GError **error)
{
  gboolean queued
      = step_queue (step, error, "lock/10-namespaces", "key", keys, NULL)
        && step_queue (step, error, "lock/40-group_deletion_schedules", "key", keys, NULL)
        && step_queue (step, error, "still", "group", group, "spent",
                       walk_rights (step_cursor (step)), NULL)
        && step_queue (step, error, "../shared/catalogue", NO_NAMES);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *still = all->pdata[2], *catalogue = all->pdata[3];
  if (rows_count (still) == 0)
    return call_off (step, group, keys, error);
  g_autoptr (json_t) cursor = json_deep_copy (step_cursor (step));
  Walk walk = {
    step,   group, rows_text (still, 0, "root_namespace_id"), rows_text (catalogue, 0, "stamp"),
    cursor, FALSE
  };
  return continue_walk (&walk, rows_bool (still, 0, "in_progress"), keys, error);
}

gboolean
destroy_group_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  Step *step = steps[0];
  const char *group = step_arg (step, "group_id");
  if (group == NULL)
    return step_fail (step, error, PRUNED_REJECT, "missing argument group_id");
  g_autofree char *keys = g_strdup_printf ("{%s}", group);
  return is_first (step) ? first_step (step, group, keys, error)
                         : later_step (step, group, keys, error);
}
