#include "engine/work/at_once.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/job/arguments.h"
#include "engine/step/many.h"
#include "engine/step/pace.h"
#include "engine/step/restored.h"
#include "engine/work/conclude.h"

#define FEWEST 8
#define MOST 100 /* lists up to here are planned once (pg/statement.c) */
#define GOAL_US (50 * G_TIME_SPAN_MILLISECOND) /* runs that take longer become fewer */
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
begin (const AtOnce *all, Run *run, Step *before)
{
  Step *step = step_set_make (all->set, all->lane, run, before, TRUE);
  conclude_note_started (step);
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
    step_take_job (step, first->job);
    pace_begin_with (step, first);
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
  if (steps->len > 1)
    FAULT ("at_once.done");
  pace_end_each ((Step *const *)steps->pdata, steps->len, took_us);
  if (took_us > GOAL_US)
    all->lane->worker.at_once = at_once_wanted (all->lane) / 2;
  else if (2 * steps->len > at_once_wanted (all->lane))
    all->lane->worker.at_once = 2 * at_once_wanted (all->lane);
  g_ptr_array_extend_and_steal (all->set->steps, g_ptr_array_ref (steps));
}

/* --- jobs in C --- */

static gboolean
has_many (const Job *job)
{
  return job->code != NULL && job->code->many != NULL && !job_asks_first (job);
}

/* Frees those that do not fit. */
static gboolean
coded_run (AtOnce *all, GPtrArray *steps, GError **error)
{
  Step *first = steps->pdata[0];
  g_autofree gboolean *fits = g_new (gboolean, steps->len);
  for (guint i = 0; i < steps->len; i++)
    fits[i] = TRUE;
  if (!brakes_before ((Step *const *)steps->pdata, steps->len, &all->at_fault, error)
      || !restored_begin (first, error)
      || !first->job->code->many ((Step *const *)steps->pdata, steps->len, fits, error)
      || !restored_stay (first, error))
    return FALSE;
  for (guint i = steps->len; i-- > 0;)
    if (!fits[i]) {
      Step *step = steps->pdata[i];
      if (step->before != NULL)
        step_is_last (step->before);
      g_ptr_array_remove_index (steps, i);
    }
  return TRUE;
}

/* The steps that follow the last N of those that are done, in the same transaction. */
static GPtrArray *
begin_next (AtOnce *all, guint n)
{
  GPtrArray *next = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  for (guint i = all->set->steps->len - n; i < all->set->steps->len; i++) {
    Step *step = all->set->steps->pdata[i];
    if (!step->may_follow || !step->continues || step->next_delay_ms > 0)
      continue;
    pace_continue (step);
    if (step->next.limit > 0)
      continue;
    Run *run = step_next_run (step);
    g_ptr_array_add (all->set->next, run);
    g_ptr_array_add (next, begin (all, run, step));
  }
  return next;
}

/* Each round steps every run once. If no run fits, the lane's next runs are not tried. */
static gboolean
run_rounds (AtOnce *all, GPtrArray *first, GError **error)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_ref (first);
  while (steps->len > 0) {
    gint64 began_us = clock_monotonic_us ();
    if (!coded_run (all, steps, error) || !brake_each (all, steps, error))
      return FALSE;
    const guint n = steps->len;
    if (n == 0) {
      all->lane->worker.rests = REST;
      return TRUE;
    }
    end (all, steps, began_us);
    FAULT ("at_once.between_steps");
    g_ptr_array_unref (steps);
    steps = begin_next (all, n);
    if (steps->len > 0 && (!pace_begin_next (steps->pdata[0], error) || !make_ready (steps, error)))
      return FALSE;
  }
  return TRUE;
}

/* --- */

static gboolean
run_files (AtOnce *all, GPtrArray *steps, gint64 began_us, GError **error)
{
  if (!many_run (steps, all->most, error) || !brake_each (all, steps, error))
    return FALSE;
  end (all, steps, began_us);
  return TRUE;
}

gboolean
at_once_run (AtOnce *all, GError **error)
{
  gint64 began_us = clock_monotonic_us ();
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  for (guint i = 0; i < all->runs->len; i++)
    g_ptr_array_add (steps, begin (all, all->runs->pdata[i], NULL));
  Step *first = steps->pdata[0];
  if (!pace_begin_next (first, error) || !make_ready (steps, error))
    return FALSE;
  gboolean coded = has_many (first->job);
  if (!coded && !many_fits (first->job)) {
    all->lane->worker.rests = REST;
    return TRUE;
  }
  if (!coded)
    return run_files (all, steps, began_us, error);
  if (steps->len > all->most) /* each changes a row at least */
    g_ptr_array_set_size (steps, (int)MAX (all->most, 0));
  return steps->len < 2 || run_rounds (all, steps, error);
}
