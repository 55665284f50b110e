#include "engine/step/below.h"

gboolean
below_goes_first (Step *step, const Trial *trial, const GArray *which, gboolean *changed,
                  GError **error)
{
  *changed = FALSE;
  if (step->job->code == NULL || step->job->code->below == NULL)
    return TRUE;
  g_autofree char *keys = rows_array_of (trial->decided, rows_column (trial->decided, "key"),
                                         (const int *)(const void *)which->data, which->len);
  return step->job->code->below (step, keys, changed, error);
}
