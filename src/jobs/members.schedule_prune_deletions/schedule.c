#include "base/plural.h"
#include "jobs/jobs.h"

#define CHILD "members.prune_deletions"

/* What the child has to do. */
static PgRows *
find_work (Step *step, GError **error)
{
  return step_query (step, error, "work", "park_retry_days",
                     step_setting_text_of (step, CHILD, "park_retry_days"), NULL);
}

static gboolean
revive (Step *step, GError **error)
{
  g_autoptr (PgRows) revived = step_query (step, error, "revive", NULL);
  if (revived == NULL)
    return FALSE;
  step_reason (step, "already running");
  if (rows_count (revived) > 0)
    step_count (step, "revived", rows_count (revived));
  return TRUE;
}

gboolean
schedule_prune_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  Step *step = steps[0];
  g_autoptr (PgRows) work = find_work (step, error);
  if (work == NULL)
    return FALSE;
  step_count (step, "updated_rows", 0);
  if (rows_int (work, 0, "schedules") == 0)
    step_reason (step, "nothing to do");
  else if (rows_bool (work, 0, "running"))
    return revive (step, error);
  else
    step_child (step, CHILD, json_object (), CHILD, CHILD, 0);
  return TRUE;
}

gboolean
schedule_prune_plan (Step *step, GError **error)
{
  g_autoptr (PgRows) work = find_work (step, error);
  if (work == NULL)
    return FALSE;
  gint64 n = rows_int (work, 0, "schedules");
  if (n == 0)
    return TRUE;
  g_autofree char *reason = g_strdup_printf ("%" G_GINT64_FORMAT "%s %s", n, n == 1000 ? "+" : "",
                                             plural (n, "schedule", "schedules"));
  step_plan_line (step, "runs", CHILD,
                  rows_bool (work, 0, "running") ? "already_running" : "scheduled", reason);
  return TRUE;
}
