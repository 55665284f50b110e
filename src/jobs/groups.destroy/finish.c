/* The batch itself: paths, own rows, outcomes. */
#include "jobs/groups.destroy/destroy.h"

gboolean
batch_is_groups (const Batch *batch)
{
  return g_str_equal (batch->kind, "groups");
}

gboolean
batch_queue (Step *step, const Batch *batch, const Effect *effects, GError **error)
{
  for (int i = 0; effects[i].file != NULL; i++)
    if (!step_queue_apply (step, error, effects[i].columns, effects[i].file, BATCH (batch)))
      return FALSE;
  return TRUE;
}

guint
array_length (const char *array)
{
  g_auto (GStrv) parts = g_strsplit (array, ",", -1);
  return g_str_equal (array, "{}") ? 0 : g_strv_length (parts);
}

static gboolean
finish_projects (Step *step, const Batch *batch, GError **error)
{
  static const Effect effects[] = { { "finish/projects/10-projects",
                                      "project_id, namespace_id, root_namespace_id, full_path" },
                                    { "finish/projects/20-routes", NULL },
                                    { "finish/projects/30-namespace_details", NULL },
                                    { "finish/projects/40-namespaces", NULL },
                                    { NULL, NULL } };
  g_autoptr (GPtrArray) all
      = batch_queue (step, batch, effects, error) ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *gone = all->pdata[0];
  if ((guint)rows_count (gone) != array_length (batch->projects))
    return step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps %u of the projects %s",
                      array_length (batch->projects) - (guint)rows_count (gone), batch->projects);
  step_outcomes (step, "ProjectDeleted", gone, "project_id", NULL);
  step_count (step, "projects", rows_count (gone));
  return TRUE;
}

static gboolean
finish_groups (Step *step, const Batch *batch, GError **error)
{
  static const Effect effects[] = { { "finish/groups/10-routes", NULL },
                                    { "finish/groups/20-group_deletion_schedules", NULL },
                                    { "finish/groups/30-namespace_details", NULL },
                                    { "finish/groups/40-namespaces", NULL },
                                    { NULL, NULL } };
  gboolean queued = step_queue (step, error, "finish/groups/paths", BATCH (batch))
                    && batch_queue (step, batch, effects, error);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *paths = all->pdata[0];
  gint64 gone = rows_int (all->pdata[all->len - 1], 0, "n");
  if (gone != rows_count (paths))
    return step_fail (step, error, PRUNED_DATA,
                      "a trigger or a rule keeps %" G_GINT64_FORMAT " of the groups %s",
                      rows_count (paths) - gone, batch->groups);
  step_outcomes (step, "GroupDeleted", paths, "group_id", NULL);
  step_count (step, "groups", gone);
  step_count (step, "updated_rows", gone);
  return TRUE;
}

gboolean
batch_finish (Step *step, const Batch *batch, GError **error)
{
  step_tries (step,
              MAX (array_length (batch->projects),
                   array_length (batch_is_groups (batch) ? batch->groups : batch->namespaces)));
  return batch_is_groups (batch) ? finish_groups (step, batch, error)
                                 : finish_projects (step, batch, error);
}
