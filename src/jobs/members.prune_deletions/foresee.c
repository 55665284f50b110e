/* What would go or change with the memberships that a run would remove, as it would decide about
 * them now, all at once. What the triggers of the application do is known only when they have run.
 */
#include "jobs/jobs.h"
#include "jobs/shared/below_members.h"

#define MOST "100000" /* more than a run may remove, unless its limits were raised */

static char *
removed_of (const PgRows *decided)
{
  GString *keys = array_new ();
  for (int i = 0; i < rows_count (decided); i++)
    if (g_str_equal (rows_text (decided, i, "what"), "removed"))
      array_add (keys, rows_text (decided, i, "key"));
  return array_take (keys);
}

gboolean
prune_foresee (Step *step, GError **error)
{
  gboolean any;
  if (!below_members_refuse_hidden (step, error) || !below_members_is_any (step, &any, error))
    return FALSE;
  if (!any)
    return TRUE;
  g_autoptr (PgRows) asked = step_query (step, error, "foreseen", "limit", MOST, NULL);
  if (asked == NULL)
    return FALSE;
  g_autofree char *members = rows_array (asked, "member"), *owners = rows_array (asked, "schedule");
  g_autoptr (PgRows) decided = step_query (step, error, "decide", "key", members, "gone", "{}",
                                           "member", members, "schedule", owners, NULL);
  if (decided == NULL)
    return FALSE;
  g_autofree char *removed = removed_of (decided);
  return below_members_foresee (step, removed, error);
}
