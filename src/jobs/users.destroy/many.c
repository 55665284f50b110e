/* Chooses the bots whose next step is done as one. */
#include "crowd.h"

#include "jobs/shared/placeholder.h"
#include "jobs/shared/stamp.h"

/* Who can be at this stage as others are, as far as the run says. */
static gboolean
is_plain (Crowd *crowd, Step *step, const char *stage)
{
  const json_t *cursor = step_cursor (step);
  const char *user = step_arg (step, "user_id");
  return user != NULL && g_strcmp0 (users_cursor_text (step, "stage"), stage) == 0
         && json_object_get (cursor, "reference") == NULL
         && json_object_get (cursor, "looks") == NULL
         && g_strcmp0 (step_arg (step, "reason"), PLACEHOLDER_REASON) != 0
         && !g_hash_table_contains (crowd->at, user);
}

static void
choose (Crowd *crowd, const char *stage)
{
  for (guint i = 0; i < crowd->n; i++) {
    Step *step = crowd->steps[i];
    crowd->fits[i] = is_plain (crowd, step, stage);
    crowd->left = step_limit (step, step_setting (step, "batch"));
    if (crowd->fits[i])
      g_hash_table_insert (crowd->at, (gpointer)step_arg (step, "user_id"),
                           GINT_TO_POINTER ((int)i + 1));
  }
}

/* What the catalogue says. A column that takes long to ask is asked for one user at a time. */
static gboolean
read_catalogue (Crowd *crowd, GError **error)
{
  Step *lead = crowd->steps[0];
  crowd->others = step_query_kept (lead, crowd->stamp, error, "crowd/others", LISTS (lead), NULL);
  if (crowd->others != NULL)
    crowd->references
        = step_query_kept (lead, crowd->stamp, error, "crowd/references", LISTS (lead), NULL);
  if (crowd->references != NULL)
    crowd->look = step_query_kept (lead, crowd->stamp, error, "crowd/left", LISTS (lead), NULL);
  if (crowd->look == NULL)
    return FALSE;
  gboolean alone = rows_bool (crowd->others, 0, "alone")
                   || rows_text (crowd->others, 0, "before") == NULL
                   || rows_text (crowd->look, 0, "sql") == NULL;
  for (int i = 0; i < rows_count (crowd->references); i++)
    alone |= !rows_bool (crowd->references, i, "quick");
  if (alone)
    crowd_leave_all (crowd);
  return TRUE;
}

gboolean
crowd_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  g_autoptr (GHashTable) at = g_hash_table_new (g_str_hash, g_str_equal);
  Step *lead = steps[0];
  Crowd crowd = { .steps = steps, .n = n, .fits = fits, .at = at };
  const char *stage = users_cursor_text (lead, "stage");
  gboolean first = stage == NULL;
  if ((!first && !g_str_equal (stage, "references")) || !step_setting_bool (lead, "finish")) {
    crowd_leave_all (&crowd);
    return TRUE;
  }
  choose (&crowd, stage);
  crowd.stamp = stamp_begin (lead, "names", OWN_LIST (lead), ALSO_LIST (lead), error);
  gboolean ok = crowd.stamp != NULL && read_catalogue (&crowd, error);
  if (ok && crowd_list (&crowd))
    ok = first ? crowd_begin (&crowd, error) : crowd_finish (&crowd, error);
  users_clear (&crowd.users);
  g_free (crowd.stamp);
  g_free (crowd.ghost_id);
  return ok;
}
