#include "engine/step/pace.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/step/weight.h"

#define LEAST_US (2 * G_USEC_PER_SEC)
/* Of the first step of a shared transaction, and of those behind it: these wait for a lock for 100
 * ms at most, so that they are gone before an application that waits for them looks for a deadlock.
 */
#define FIRST_US (10 * G_USEC_PER_SEC)
#define NEXT_US (500 * G_TIME_SPAN_MILLISECOND)

gint64
pace_limit_within (const Run *run, gint64 most)
{
  gint64 limit = run->progress.limit;
  if (run->fits > 0)
    most = MIN (most, run->fits);
  return limit > 0 && limit < most ? limit : most;
}

int
pace_page_limit (const Run *run)
{
  return (int)pace_limit_within (run, in_force_of (run->job)->batch);
}

static gint64
budget_us (const Step *step)
{
  return MIN (step_setting (step, "budget_ms"), PACE_MOST_US / 1000) * 1000;
}

/* They have MOST_US from now on. */
static void
set_time (Step *const *steps, guint n, gint64 most_us)
{
  const gint64 now = clock_monotonic_us ();
  for (guint i = 0; i < n; i++)
    steps[i]->transaction_us = now;
  pg_set_deadline (steps[0]->pg, now + most_us);
}

void
pace_begin (Step *const *steps, guint n)
{
  const Step *first = steps[0];
  for (guint i = 0; i < n; i++)
    weight_begin (steps[i]->run);
  const gboolean least = first->run->progress.limit == 1;
  const gint64 most_us = least ? PACE_MOST_US : MAX (budget_us (first), LEAST_US);
  set_time (steps, n, first->shared ? MIN (most_us, FIRST_US) : most_us);
}

gboolean
pace_begin_next (Step *const *steps, guint n, GError **error)
{
  set_time (steps, n, NEXT_US);
  return pg_exec_later (steps[0]->pg, "SET LOCAL lock_timeout = '100ms'", error);
}

gint64
pace_end (Step *const *steps, guint n, gint64 began_us)
{
  const gint64 took_us = clock_monotonic_us () - began_us;
  for (guint i = 0; i < n; i++)
    steps[i]->took_us = MAX (1, took_us / n);
  return took_us;
}

void
pace_divide (Step *const *steps, guint n, gint64 began_us)
{
  const gint64 now = clock_monotonic_us (), own = (now - began_us) / n;
  for (guint i = 0; i < n; i++)
    steps[i]->transaction_us = now - own;
}

void
pace_settle (const Step *first)
{
  pg_set_deadline (first->pg, clock_monotonic_us () + LEAST_US);
}

gint64
pace_less (const Step *step)
{
  if (step->most == 0 || step->run->progress.limit == 1)
    return 0;
  gint64 limit = pace_limit_within (step->run, step->most);
  return MAX (1, step->tried > 0 ? MIN (step->tried, limit) / 2 : limit / 4);
}

gboolean
pace_is_too_slow (const Step *step, const GError *cause)
{
  return cause->code == PRUNED_RETRY && g_str_equal (pg_sqlstate (step->pg), "57014");
}

/* The time that a step may take without the next page being smaller: what cuts it bounds it. */
static gint64
goal_us (const Step *step)
{
  return MIN (step_setting (step, "target_step_ms") * 1000, MAX (budget_us (step), LEAST_US));
}

gint64
pace_next_limit (gint64 limit, gint64 had, gint64 most, gint64 took_us, gint64 goal)
{
  if (took_us > goal)
    return MAX (1, (had > 0 ? MIN (limit, had) : limit) / 2);
  if (took_us < goal / 2)
    return limit + CLAMP (most / 10, 1, limit);
  return limit;
}

void
pace_continue (Step *step)
{
  if (step->busy_items->len > 0 || step->held)
    return; /* it has waited for locks, and had fewer rows: that says nothing about the others */
  const gint64 fits = weight_note (step);
  if (step->most <= 0 || !step->continues)
    return;
  gint64 took_us = step->took_us > 0 ? step->took_us : clock_monotonic_us () - step->transaction_us;
  gint64 limit = pace_next_limit (pace_limit_within (step->run, step->most), step->had, step->most,
                                  took_us, goal_us (step));
  limit = MIN (limit, fits);
  step->next.limit = limit < step->most ? limit : 0;
}

gint64
pace_back_off_ms (int n)
{
  n = CLAMP (n, 0, 1000);
  return 1000 * ((gint64)n * n * n * n + 15 + (gint64)g_random_int_range (0, 10) * (n + 1));
}

/* --- what jobs see of it (pruned/job.h) --- */

gint64
step_limit (Step *step, gint64 most)
{
  step->most = most;
  return pace_limit_within (step->run, most);
}

gint64
step_room (const Step *step)
{
  return step->room >= 0 ? step->room : G_MAXINT64;
}

gboolean
step_is_cut (const Step *step)
{
  return step->run->progress.limit > 0;
}

void
step_tries (Step *step, gint64 rows)
{
  step->tried = rows;
  step->had = MAX (step->had, rows);
}

gboolean
step_is_too_slow (const Step *step, const GError *cause)
{
  return pace_is_too_slow (step, cause);
}

void
step_cut (Step *step, gint64 limit)
{
  step->run->progress.limit = limit;
}
