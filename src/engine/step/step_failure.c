/* What a step says of a failure of its own, and how it is to go on. */
#include "engine/step/step.h"

#include <stdarg.h>

gboolean
step_fail (Step *step, GError **error, PrunedVerdict verdict, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, PRUNED_ERROR, verdict, text);
  return FALSE;
}

gboolean
step_block (Step *step, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  step->blocked = TRUE;
  return step_fail (step, error, PRUNED_RETRY, "%s", text);
}

void
step_fails_as (Step *step, const Step *other)
{
  step->blocked |= other->blocked;
  if (other->error_class != NULL)
    step->error_class = other->error_class;
}

void
step_set_again (Step *step, gboolean again)
{
  step->again = again;
}

void
step_set_error_class (Step *step, const char *class)
{
  step->error_class = class;
}

void
step_set_brake (Step *step, StepBrake brake)
{
  step->brake = brake;
}

gboolean
step_again (Step *step, GError **error)
{
  step_set_again (step, TRUE);
  return step_fail (step, error, PRUNED_BUSY, "the step is to be done once more");
}
