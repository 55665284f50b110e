#include "engine/step/below.h"

void
step_count_beside (Step *step, const char *table, gboolean deleted, gint64 n)
{
  step_add_other (step->beside != NULL ? step->beside : step->counts, table,
                  deleted ? STEP_DELETED : STEP_CHANGED, n);
  if (step->beside == NULL)
    step_add_rows (step, 0, n, 0);
}

/* What changes with the rows below is counted with them. */
static gboolean
count_from_here (Step *step, Effects *effects, GError **error)
{
  return beside_look (step, &effects->beside, effects->tables, error)
         && (effects->beside.before != NULL || beside_read (step, &effects->beside, error));
}

gboolean
below_goes_first (Step *step, Trial *trial, const GArray *which, gboolean *changed, GError **error)
{
  *changed = FALSE;
  if (step->job->code == NULL || step->job->code->below == NULL)
    return TRUE;
  if (!count_from_here (step, &trial->effects, error))
    return FALSE;
  g_autoptr (json_t) gone = step->beside = json_object ();
  g_autofree char *keys = rows_array_of (trial->decided, rows_column (trial->decided, "key"),
                                         (const int *)(const void *)which->data, which->len);
  const gboolean ok = step->job->code->below (step, keys, error);
  step->beside = NULL;
  *changed = json_object_size (gone) > 0;
  trial->effects.beside.changed += json_integer_value (json_object_get (gone, STEP_OTHERS));
  step_add_counts (trial->effects.beside.counts, gone);
  return ok;
}
