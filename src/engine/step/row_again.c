#include "engine/step/row_again.h"

gboolean
row_again_is (const Step *step)
{
  return step->run->waits_for != NULL;
}

void
row_again_note (Step *step, const char *item, const char *reason, gint64 wait_ms)
{
  if (!job_is_asked (step->job, step->run->args))
    return;
  g_free (step->waits_for);
  g_free (step->waits_why);
  step->waits_for = g_strdup (item);
  step->waits_why = g_strconcat ("in quarantine: ", reason, NULL);
  step->waits_ms = wait_ms + 1; /* the entry's time has parts of a millisecond */
}

void
row_again_wait (Step *step)
{
  if (step->waits_for == NULL)
    return;
  if (!step->continues)
    step_continue (step, NULL, 0);
  step->next_delay_ms = step->waits_ms;
  g_free (step->wait_reason);
  step->wait_reason = g_strdup (step->waits_why);
}
