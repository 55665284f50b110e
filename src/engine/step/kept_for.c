#include "engine/step/kept_for.h"

void
kept_for_add (Step *step, const char *reason)
{
  if (!job_is_asked (step->job, step->run->args))
    return;
  g_autoptr (json_t) more = json_pack ("{s:{s:i}}", STEP_KEPT, reason, 1);
  step_add_counts (step->counts, more);
}

void
kept_for_rows (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  if (!g_str_equal (what->counter, "kept") || rows_column (trial->decided, "reason") < 0)
    return;
  for (guint i = 0; i < which->len; i++) {
    const char *reason = rows_text (trial->decided, g_array_index (which, int, i), "reason");
    if (reason != NULL)
      kept_for_add (step, reason);
  }
}
