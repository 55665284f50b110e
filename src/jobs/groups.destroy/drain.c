#include "jobs/groups.destroy/destroy.h"

static const char *const PROJECT_FILES[] = { "drain/projects/20-notification_settings", "drain/projects/30-redirect_routes",
                                             "drain/projects/40-ci_job_artifacts", NULL };
static const char *const GROUP_FILES[] = { "drain/groups/20-notification_settings", "drain/groups/30-redirect_routes", NULL };

static PgRows *
apply (Step *step, const Batch *batch, const char *file, GError **error)
{
  return step_apply (step, error, file, "project", batch->projects, "namespace", batch->namespaces, "group", batch->groups,
                     "limit", batch->limit, NULL);
}

/* A table is empty when it gave back less than it was asked for. */
static void
note (const Batch *batch, const PgRows *rows, gboolean *empty)
{
  if (rows_count (rows) >= g_ascii_strtoll (batch->limit, NULL, 10))
    *empty = FALSE;
}

static gboolean
drain_reference (Step *step, const Batch *batch, const PgRows *references, int row, gboolean *empty, GError **error)
{
  g_autoptr (PgRows) gone = step_apply_text (step, error, rows_text (references, row, "table"),
                                             rows_text (references, row, "action"), rows_text (references, row, "sql"),
                                             "project", batch->projects, "namespace", batch->namespaces, "group",
                                             batch->groups, "limit", batch->limit, NULL);
  if (gone == NULL)
    return FALSE;
  note (batch, gone, empty);
  return TRUE;
}

/* Only what has rows is touched: one query says which. */
static gboolean
drain_references (Step *step, const Batch *batch, gboolean *empty, GError **error)
{
  g_autoptr (PgRows) references = step_query (step, error, "references", "kind", batch->kind, NULL);
  if (references == NULL)
    return FALSE;
  const char *probe = rows_count (references) > 0 ? rows_text (references, 0, "probe") : NULL;
  if (probe == NULL)
    return TRUE;
  g_autoptr (PgRows) there = step_query_text (step, error, probe, "project", batch->projects, "namespace",
                                              batch->namespaces, "group", batch->groups, NULL);
  if (there == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (there); i++)
    if (!drain_reference (step, batch, references, (int)rows_int (there, i, "number") - 1, empty, error))
      return FALSE;
  return TRUE;
}

/* A project's bot exists for its membership only. */
static void
destroy_bots (Step *step, const Batch *batch, const PgRows *members)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (members); i++)
    {
      const char *user = rows_text (members, i, "user_id");
      if (user == NULL || rows_int (members, i, "user_type") != 6 || !g_hash_table_add (seen, (gpointer)user))
        continue;
      g_autofree char *key = g_strconcat ("users.destroy:", user, NULL);
      json_t *args = json_pack ("{s:I, s:s, s:I}", "user_id", (json_int_t)rows_int (members, i, "user_id"), "reason", "Project deleted",
                                "initiator_id", (json_int_t)g_ascii_strtoll (batch->actor, NULL, 10));
      step_child (step, "users.destroy", args, user, key, 0);
    }
}

static gboolean
drain_members (Step *step, const Batch *batch, gboolean *empty, GError **error)
{
  g_autofree char *file = g_strdup_printf ("drain/%s/10-members", batch->kind);
  g_autoptr (PgRows) members = apply (step, batch, file, error);
  if (members == NULL)
    return FALSE;
  g_autoptr (json_t) constants = json_pack ("{s:s, s:s}", "reason", "group_destroyed", "root_namespace_id", batch->root);
  step_outcomes (step, "MemberRemoved", members, "member_id", constants);
  step_count (step, "members", rows_count (members));
  if (g_str_equal (batch->kind, "projects"))
    destroy_bots (step, batch, members);
  note (batch, members, empty);
  return TRUE;
}

/* What others hold against these rows goes before the rows do; members last, for those who could see more through them
 * are looked up by them. */
gboolean
batch_drain (Step *step, const Batch *batch, gboolean *empty, GError **error)
{
  gboolean is_groups = g_str_equal (batch->kind, "groups");
  *empty = TRUE;
  if (is_groups)
    {
      g_autoptr (PgRows) guests = step_query (step, error, "refresh/guests", "group", batch->groups, NULL);
      if (guests == NULL)
        return FALSE;
    }
  if (!drain_references (step, batch, empty, error))
    return FALSE;
  if (!*empty) /* more of them: what they point at stays for now */
    return TRUE;
  const char *const *files = is_groups ? GROUP_FILES : PROJECT_FILES;
  for (int i = 0; files[i] != NULL; i++)
    {
      g_autoptr (PgRows) gone = apply (step, batch, files[i], error);
      if (gone == NULL)
        return FALSE;
      if (g_str_has_suffix (files[i], "ci_job_artifacts"))
        step_count (step, "artifacts", rows_count (gone));
      note (batch, gone, empty);
    }
  return drain_members (step, batch, empty, error);
}

static gboolean
apply_all (Step *step, const Batch *batch, const char *const *files, GError **error)
{
  for (int i = 0; files[i] != NULL; i++)
    {
      g_autoptr (PgRows) gone = apply (step, batch, files[i], error);
      if (gone == NULL)
        return FALSE;
    }
  return TRUE;
}

static guint
length_of (const char *array)
{
  g_auto (GStrv) parts = g_strsplit (array, ",", -1);
  return g_str_equal (array, "{}") ? 0 : g_strv_length (parts);
}

static gboolean
finish_projects (Step *step, const Batch *batch, GError **error)
{
  static const char *const files[] = { "finish/projects/20-routes", "finish/projects/30-namespace_details",
                                       "finish/projects/40-namespaces", NULL };
  g_autoptr (PgRows) gone = apply (step, batch, "finish/projects/10-projects", error);
  if (gone == NULL || !apply_all (step, batch, files, error))
    return FALSE;
  if ((guint)rows_count (gone) != length_of (batch->projects))
    return step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps %u of the projects %s",
                      length_of (batch->projects) - (guint)rows_count (gone), batch->projects);
  step_outcomes (step, "ProjectDeleted", gone, "project_id", NULL);
  step_count (step, "projects", rows_count (gone));
  return TRUE;
}

static gboolean
finish_groups (Step *step, const Batch *batch, GError **error)
{
  static const char *const files[] = { "finish/groups/10-routes", "finish/groups/20-group_deletion_schedules",
                                       "finish/groups/30-namespace_details", NULL };
  g_autoptr (PgRows) paths = step_query (step, error, "finish/groups/paths", "group", batch->groups, NULL);
  if (paths == NULL || !apply_all (step, batch, files, error))
    return FALSE;
  g_autoptr (PgRows) gone = apply (step, batch, "finish/groups/40-namespaces", error);
  if (gone == NULL)
    return FALSE;
  if (rows_count (gone) != rows_count (paths))
    return step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps %d of the groups %s",
                      rows_count (paths) - rows_count (gone), batch->groups);
  step_outcomes (step, "GroupDeleted", paths, "group_id", NULL);
  step_count (step, "groups", rows_count (gone));
  step_count (step, "updated_rows", rows_count (gone));
  return TRUE;
}

gboolean
batch_finish (Step *step, const Batch *batch, GError **error)
{
  return g_str_equal (batch->kind, "groups") ? finish_groups (step, batch, error) : finish_projects (step, batch, error);
}

gboolean
batch_warn (Step *step, const char *kind, GError **error)
{
  g_autoptr (PgRows) references = step_query (step, error, "references", "kind", kind, NULL);
  if (references == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (references); i++)
    if (!rows_bool (references, i, "may"))
      step_log (step, LOG_WARNING, "Rows of this table are not deleted by us: grant SELECT, UPDATE and DELETE",
                json_pack ("{s:s}", "table", rows_text (references, i, "table")));
  return TRUE;
}
