#include "engine/work/at_once.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/job/arguments.h"
#include "engine/step/many.h"
#include "engine/step/pace.h"
#include "engine/work/conclude.h"

#define FEWEST 8
#define MOST 100 /* lists up to here are planned once (pg/statement.c) */
#define GOAL_US (50 * G_TIME_SPAN_MILLISECOND) /* so long they may take without being fewer */
#define REST 16                                /* batches of a lane whose job does not fit */

guint
at_once_wanted (const Lane *lane)
{
  return lane->worker.rests > 0 ? 0 : CLAMP (lane->worker.at_once, FEWEST, MOST);
}

void
at_once_failed (Lane *lane)
{
  lane->worker.at_once = FEWEST;
}

static Step *
begin (const AtOnce *all, Run *run)
{
  Step *step = step_new (all->pg, run, all->service->prefix, all->lane->worker.bisect, all->bundle);
  step->shared = TRUE;
  steps_note_started (step);
  FAULT_ABOUT ("step.after_fence", run->run_id);
  return step;
}

/* The first one asks for the job's SQL, for all. Runs with wrong arguments are left out. */
static gboolean
make_ready (GPtrArray *steps, GError **error)
{
  Step *first = steps->pdata[0];
  if (!step_complete (first, error))
    return FALSE;
  for (guint i = steps->len; i-- > 0;) {
    Step *step = steps->pdata[i];
    step->job = step->run->job = first->job;
    step->transaction_us = first->transaction_us;
    g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
    if (reason != NULL && i > 0)
      g_ptr_array_remove_index (steps, i);
  }
  return TRUE;
}

static gboolean
brake_each (AtOnce *all, const GPtrArray *steps, GError **error)
{
  for (guint i = 0; i < steps->len; i++) {
    Step *step = steps->pdata[i];
    if (!brakes_after (step, error)) {
      all->at_fault = step->run->run_id;
      return FALSE;
    }
  }
  return TRUE;
}

/* Each gets its part of the time. */
static void
end (AtOnce *all, GPtrArray *steps, gint64 began_us)
{
  gint64 took_us = clock_monotonic_us () - began_us;
  for (guint i = 0; i < steps->len; i++)
    ((Step *)steps->pdata[i])->took_us = MAX (1, took_us / steps->len);
  if (took_us > GOAL_US)
    all->lane->worker.at_once = at_once_wanted (all->lane) / 2;
  else if (2 * steps->len > at_once_wanted (all->lane))
    all->lane->worker.at_once = 2 * at_once_wanted (all->lane);
  g_ptr_array_extend_and_steal (all->steps, g_ptr_array_ref (steps));
}

gboolean
at_once_run (AtOnce *all, GError **error)
{
  gint64 began_us = clock_monotonic_us ();
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  for (guint i = 0; i < all->runs->len; i++)
    g_ptr_array_add (steps, begin (all, all->runs->pdata[i]));
  Step *first = steps->pdata[0];
  if (!pace_begin_next (first, error) || !make_ready (steps, error))
    return FALSE;
  if (!many_fits (first->job)) {
    all->lane->worker.rests = REST;
    return TRUE;
  }
  if (!many_run (steps, all->most, error) || !brake_each (all, steps, error))
    return FALSE;
  end (all, steps, began_us);
  return TRUE;
}
