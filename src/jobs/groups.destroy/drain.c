#include "jobs/groups.destroy/destroy.h"

/* Members last: those who could see more through them are looked up by them. */
static const char *const PROJECT_FILES[] = { "drain/projects/20-notification_settings", "drain/projects/30-redirect_routes",
                                             "drain/projects/40-ci_job_artifacts", "drain/projects/10-members", NULL };
static const char *const GROUP_FILES[] = { "drain/groups/20-notification_settings", "drain/groups/30-redirect_routes",
                                           "drain/groups/10-members", NULL };

#define BATCH(batch)                                                                                  \
  "project", (batch)->projects, "namespace", (batch)->namespaces, "group", (batch)->groups, "limit", (batch)->limit, NULL

static gboolean
is_groups (const Batch *batch)
{
  return g_str_equal (batch->kind, "groups");
}

/* Queues what is done with FILES, up to NULL. */
static gboolean
queue_files (Step *step, const Batch *batch, const char *const *files, GError **error)
{
  for (int i = 0; files[i] != NULL; i++)
    if (!step_queue_apply (step, error, files[i], BATCH (batch)))
      return FALSE;
  return TRUE;
}

/* A table is empty when it gave back less than it was asked for. */
static gboolean
all_empty (const Batch *batch, const GPtrArray *gone)
{
  for (guint i = 0; i < gone->len; i++)
    if (rows_count (gone->pdata[i]) >= g_ascii_strtoll (batch->limit, NULL, 10))
      return FALSE;
  return TRUE;
}

/* --- what refers to the batch ------------------------------------------------------------------------- */

/* The columns that refer to it, and which of them have rows. */
typedef struct {
  const PgRows *references;
  PgRows *there;
} Referring;

static const char *
probe_of (const PgRows *references)
{
  return rows_count (references) > 0 ? rows_text (references, 0, "probe") : NULL;
}

static gboolean
find_referring (Step *step, const Batch *batch, Referring *found, GError **error)
{
  found->references = step_query_kept (step, batch->catalogue, error, "references", "kind", batch->kind, NULL);
  if (found->references == NULL)
    return FALSE;
  const char *probe = probe_of (found->references);
  return probe == NULL || (found->there = step_query_text (step, error, probe, BATCH (batch))) != NULL;
}

/* The reference that row I of `there` is about. */
static int
reference_row (const Referring *found, int i)
{
  return (int)rows_int (found->there, i, "number") - 1;
}

/* Queues those of one level, from *I on, which moves on. */
static gboolean
queue_level (Step *step, const Batch *batch, const Referring *found, int *i, GError **error)
{
  const PgRows *references = found->references;
  gint64 level = rows_int (references, reference_row (found, *i), "level");
  for (; *i < rows_count (found->there); (*i)++)
    {
      int row = reference_row (found, *i);
      if (rows_int (references, row, "level") != level)
        break;
      if (!step_queue_apply_text (step, error, rows_text (references, row, "table"), rows_text (references, row, "action"),
                                  rows_text (references, row, "sql"), BATCH (batch)))
        return FALSE;
    }
  return TRUE;
}

/* The levels that lie further away, each when the one beyond it is empty: else a foreign key would take along what nobody
 * has seen. What is next to the batch stays queued. */
static gboolean
drain_beyond (Step *step, const Batch *batch, const Referring *found, gboolean *empty, GError **error)
{
  int n = found->there != NULL ? rows_count (found->there) : 0;
  for (int i = 0; *empty && i < n;)
    {
      gboolean next_to_it = rows_int (found->references, reference_row (found, i), "level") == 1;
      if (!queue_level (step, batch, found, &i, error))
        return FALSE;
      if (next_to_it)
        return TRUE;
      g_autoptr (GPtrArray) gone = step_send (step, error);
      if (gone == NULL)
        return FALSE;
      *empty = all_empty (batch, gone);
    }
  return TRUE;
}

/* --- what belongs to the batch ------------------------------------------------------------------------ */

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

static void
note_members (Step *step, const Batch *batch, const PgRows *members)
{
  g_autoptr (json_t) constants = json_pack ("{s:s, s:s}", "reason", "group_destroyed", "root_namespace_id", batch->root);
  step_outcomes (step, "MemberRemoved", members, "member_id", constants);
  step_count (step, "members", rows_count (members));
  if (!is_groups (batch))
    destroy_bots (step, batch, members);
}

/* What is next to the batch, queued already, and what belongs to it, in one round trip. */
static gboolean
drain_own (Step *step, const Batch *batch, gboolean *empty, GError **error)
{
  if (!queue_files (step, batch, is_groups (batch) ? GROUP_FILES : PROJECT_FILES, error))
    return FALSE;
  g_autoptr (GPtrArray) gone = step_send (step, error);
  if (gone == NULL)
    return FALSE;
  note_members (step, batch, gone->pdata[gone->len - 1]);
  if (!is_groups (batch))
    step_count (step, "artifacts", rows_count (gone->pdata[gone->len - 2]));
  *empty = all_empty (batch, gone);
  return TRUE;
}

/* Something gave as many rows as it was asked for: were these all? */
static gboolean
look_again (Step *step, const Batch *batch, const Referring *found, gboolean *empty, GError **error)
{
  g_autofree char *file = g_strdup_printf ("drain/%s/left", batch->kind);
  const char *probe = probe_of (found->references);
  if (!step_queue (step, error, file, BATCH (batch)) || (probe != NULL && !step_queue_text (step, error, probe, BATCH (batch))))
    return FALSE;
  g_autoptr (GPtrArray) left = step_send (step, error);
  *empty = left != NULL;
  for (guint i = 0; left != NULL && i < left->len; i++)
    *empty = *empty && rows_count (left->pdata[i]) == 0;
  return left != NULL;
}

static gboolean
drain_found (Step *step, const Batch *batch, const Referring *found, gboolean *empty, GError **error)
{
  *empty = TRUE;
  if (!drain_beyond (step, batch, found, empty, error))
    return FALSE;
  if (!*empty) /* more of them: what they point at stays for now */
    return TRUE;
  return drain_own (step, batch, empty, error) && (*empty || look_again (step, batch, found, empty, error));
}

gboolean
batch_drain (Step *step, const Batch *batch, gboolean *empty, GError **error)
{
  if (is_groups (batch))
    {
      g_autoptr (PgRows) guests = step_query (step, error, "refresh/guests", "group", batch->groups, NULL);
      if (guests == NULL)
        return FALSE;
    }
  Referring found = { 0 };
  gboolean ok = find_referring (step, batch, &found, error) && drain_found (step, batch, &found, empty, error);
  rows_free (found.there);
  return ok;
}

/* --- the batch itself ------------------------------------------------------------------------------------ */

static guint
length_of (const char *array)
{
  g_auto (GStrv) parts = g_strsplit (array, ",", -1);
  return g_str_equal (array, "{}") ? 0 : g_strv_length (parts);
}

static gboolean
finish_projects (Step *step, const Batch *batch, GError **error)
{
  static const char *const files[] = { "finish/projects/10-projects", "finish/projects/20-routes",
                                       "finish/projects/30-namespace_details", "finish/projects/40-namespaces", NULL };
  g_autoptr (GPtrArray) all = queue_files (step, batch, files, error) ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *gone = all->pdata[0];
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
                                       "finish/groups/30-namespace_details", "finish/groups/40-namespaces", NULL };
  gboolean queued = step_queue (step, error, "finish/groups/paths", BATCH (batch)) && queue_files (step, batch, files, error);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *paths = all->pdata[0], *gone = all->pdata[all->len - 1];
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
  return is_groups (batch) ? finish_groups (step, batch, error) : finish_projects (step, batch, error);
}

gboolean
batch_warn (Step *step, const char *kind, const char *catalogue, GError **error)
{
  const PgRows *references = step_query_kept (step, catalogue, error, "references", "kind", kind, NULL);
  if (references == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (references); i++)
    if (!rows_bool (references, i, "may"))
      step_log (step, LOG_WARNING, "Rows of this table are not deleted by us: grant SELECT, UPDATE and DELETE",
                json_pack ("{s:s}", "table", rows_text (references, i, "table")));
  return TRUE;
}
