/* What every part of the work on a portion asks. */
#include "jobs/groups.destroy/portion.h"

/* In a row: no application writes the same rows at each of these moments. */
#define STEPS_IN_VAIN 5

gboolean
portion_is_groups (const Portion *portion)
{
  return g_str_equal (portion->kind, "groups");
}

gboolean
portion_is_kept (const Portion *portion)
{
  return portion->removed == 0 && portion->in_vain >= STEPS_IN_VAIN;
}

gboolean
portion_queue (Step *step, const Portion *portion, const Effect *effects, GError **error)
{
  for (int i = 0; effects[i].file != NULL; i++)
    if (!step_queue_apply (step, error, effects[i].columns, effects[i].file, PORTION (portion)))
      return FALSE;
  return TRUE;
}

guint
portion_count_ids (const char *array)
{
  g_auto (GStrv) parts = g_strsplit (array, ",", -1);
  return g_str_equal (array, "{}") ? 0 : g_strv_length (parts);
}
