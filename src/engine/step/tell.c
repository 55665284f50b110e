#include "engine/step/tell.h"

static void
tell (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  gboolean named = job_is_asked (step->job, step->run->args);
  gboolean announced = what->outcome != NULL && (!what->only_named || named);
  for (guint i = 0; announced && i < which->len; i++)
    step_outcome_row (step, what->outcome, trial->decided, g_array_index (which, int, i),
                      what->entity, what->constants);
}

void
tell_ahead (Step *step, const JobWhat *what, Trial *trial, const GArray *which)
{
  /* One that stands for others: each has its own outcomes. One without a bundle only tries. */
  if (step->many || step->bundle == NULL)
    return;
  if (trial->told == NULL) {
    trial->told = g_ptr_array_new ();
    trial->untold = bundle_mark (step->bundle);
  }
  g_ptr_array_add (trial->told, what->word);
  tell (step, what, trial, which);
}

void
tell_nothing (Step *step, Trial *trial)
{
  if (trial->told != NULL)
    bundle_cut (step->bundle, trial->untold);
  g_clear_pointer (&trial->told, g_ptr_array_unref);
}

void
tell_rest (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  if (trial->told == NULL
      || !g_ptr_array_find_with_equal_func (trial->told, what->word, g_str_equal, NULL))
    tell (step, what, trial, which);
}
