/* The portion itself: paths, own rows, outcomes. */
#include "jobs/groups.destroy/portion.h"

static gboolean
finish_projects (Step *step, const Portion *portion, GError **error)
{
  static const Effect effects[] = { { "finish/projects/10-projects",
                                      "project_id, namespace_id, root_namespace_id, full_path" },
                                    { "finish/projects/20-routes", NULL },
                                    { "finish/projects/30-namespace_details", NULL },
                                    { "finish/projects/40-namespaces", NULL },
                                    { NULL, NULL } };
  gboolean queued = portion_queue (step, portion, effects, error)
                    && step_queue (step, error, "finish/projects/kept", PORTION (portion));
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *gone = all->pdata[0], *kept = all->pdata[all->len - 1];
  if ((guint)rows_count (gone) != portion_count_ids (portion->projects))
    return step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps %u of the projects %s",
                      portion_count_ids (portion->projects) - (guint)rows_count (gone),
                      portion->projects);
  if (rows_count (kept) > 0) {
    g_autofree char *ids = rows_array (kept, "id");
    return step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps %d of the namespaces %s",
                      rows_count (kept), ids);
  }
  step_outcomes (step, "ProjectDeleted", gone, "project_id", NULL);
  step_count (step, "projects", rows_count (gone));
  return TRUE;
}

static gboolean
finish_groups (Step *step, const Portion *portion, GError **error)
{
  static const Effect effects[] = { { "finish/groups/10-routes", NULL },
                                    { "finish/groups/20-group_deletion_schedules", NULL },
                                    { "finish/groups/30-namespace_details", NULL },
                                    { "finish/groups/40-namespaces", NULL },
                                    { NULL, NULL } };
  gboolean queued = step_queue (step, error, "finish/groups/paths", PORTION (portion))
                    && portion_queue (step, portion, effects, error);
  g_autoptr (GPtrArray) all = queued ? step_send (step, error) : NULL;
  if (all == NULL)
    return FALSE;
  const PgRows *paths = all->pdata[0];
  gint64 gone = rows_int (all->pdata[all->len - 1], 0, "n");
  if (gone != rows_count (paths))
    return step_fail (step, error, PRUNED_DATA,
                      "a trigger or a rule keeps %" G_GINT64_FORMAT " of the groups %s",
                      rows_count (paths) - gone, portion->groups);
  step_outcomes (step, "GroupDeleted", paths, "group_id", NULL);
  step_count (step, "groups", gone);
  step_count (step, "updated_rows", gone);
  return TRUE;
}

gboolean
portion_finish (Step *step, const Portion *portion, GError **error)
{
  step_tries (step, MAX (portion_count_ids (portion->projects),
                         portion_count_ids (portion_is_groups (portion) ? portion->groups
                                                                        : portion->namespaces)));
  return portion_is_groups (portion) ? finish_groups (step, portion, error)
                                     : finish_projects (step, portion, error);
}
