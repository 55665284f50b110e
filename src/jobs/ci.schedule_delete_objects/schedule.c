#include "jobs/jobs.h"

#define CHILD "ci.delete_objects"
#define SLOTS "50"

/* The tick's arguments, unchanged, and the slot. */
static json_t *
args_of_slot (Step *step, gint64 slot)
{
  json_t *args = json_deep_copy (step_args (step));
  json_object_set_new (args, "slot", json_integer (slot));
  return args;
}

gboolean
schedule_objects_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  Step *step = steps[0];
  g_autoptr (PgRows) cured = step_query (step, error, "disappeared", NULL);
  g_autoptr (PgRows) ready
      = cured != NULL ? step_query (step, error, "ready", "slots", SLOTS, NULL) : NULL;
  if (ready == NULL)
    return FALSE;
  gint64 slots = rows_int (ready, 0, "slots");
  step_count (step, "updated_rows", 0);
  if (slots == 0)
    step_reason (step, "nothing to do");
  for (gint64 slot = 0; slot < slots; slot++) {
    g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, slot);
    g_autofree char *key = g_strconcat (CHILD ":", number, NULL);
    step_child (step, CHILD, args_of_slot (step, slot), number, key, 0);
  }
  return TRUE;
}

/* The plan of both jobs. */
gboolean
schedule_objects_plan (Step *step, GError **error)
{
  g_autoptr (PgRows) rows = step_query (step, error, "../ci.schedule_delete_objects/plan", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    step_plan_line (step, "ci_deleted_objects", rows_text (rows, i, "key"),
                    rows_text (rows, i, "action"), rows_text (rows, i, "reason"));
  return rows != NULL;
}
