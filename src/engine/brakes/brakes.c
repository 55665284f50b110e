#include "engine/brakes/brakes.h"

#include "engine/brakes/bound.h"
#include "engine/brakes/count.h"
#include "engine/brakes/day.h"
#include "engine/brakes/limits.h"
#include "engine/brakes/plan_mode.h"
#include "engine/brakes/judge.h"
#include "engine/brakes/whole.h"
#include "engine/brakes/within_range.h"
#include "engine/step/pace.h"
#include "engine/step/page_keys.h"
#include "engine/step/ranges.h"

static gboolean
is_errand (const Step *step)
{
  return step->job->kind->errand;
}

/* The step is rolled back, and the run is counted without locks. */
static gboolean
count_first (Step *step, GError **error)
{
  step_set_brake (step, BRAKE_COUNT);
  return step_fail (step, error, PRUNED_RETRY, "the run is to be counted");
}

/* An approval has ended between two pages: what the run has changed and what is left is counted
 * before N rows more go. If that is within its limits, it goes on without an approval. */
static gboolean
is_to_be_counted_again (const Run *run, gint64 n)
{
  return n > 0 && run_was_approved (run);
}

/* A question about how many rows there are has failed with CAUSE. One that took too long is asked
 * again without locks, where it has more time; if that takes too long as well, the run counts as
 * one row more than BOUND. */
static gboolean
count_slow (Step *step, gint64 bound, GError *cause, GError **error)
{
  if (bound == LIMIT_NONE || !pace_is_too_slow (step, cause)) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  step->counted = bound + 1;
  return count_first (step, error);
}

/* A page with all rows of the table, none of which goes, does not show what goes with one. */
static gboolean
says_nothing_below (const Step *step)
{
  return step->job->form == FORM_ALL && step->job->below != NULL && step->rows == 0;
}

/* The first page of several: whether those behind it could be too many. */
static gboolean
check_rest (Step *step, gint64 total, gint64 bound, GError **error)
{
  const gint64 below = step->below + step->own_below;
  const gint64 each = count_each (step->job, step->rows - below, below);
  GError *cause = NULL;
  gint64 n;
  step->counted = total;
  if (bound == LIMIT_NONE)
    return TRUE;
  if (says_nothing_below (step))
    return count_first (step, error);
  if (!count_rest (step, (bound - total) / each + 1, &n, &cause))
    return count_slow (step, bound, cause, error);
  step->counted = total + n * each;
  return step->counted <= bound || count_first (step, error);
}

static gboolean
check_approved (Step *step, gint64 total, gboolean first, GError **error)
{
  const Run *run = step->run;
  if (total > run->approved_rows)
    return count_first (step, error);
  return !first || check_rest (step, total, run->approved_rows, error);
}

gboolean
brakes_room (Step *step, gint64 *room, GError **error)
{
  const Run *run = step->run;
  const gint64 rows = step->rows + step->children->len, total = run->rows_done + rows;
  gint64 bound = run->approved_rows;
  *room = LIMIT_NONE;
  if (in_force_approve (step->job) == APPROVE_NEVER)
    return TRUE;
  if (!run_is_approved (run) && !bound_find (step, rows, &bound, error))
    return FALSE;
  if (bound != LIMIT_NONE)
    *room = MAX (0, bound - total);
  return TRUE;
}

gboolean
brakes_after (Step *step, GError **error)
{
  const Run *run = step->run;
  const gint64 rows = step->rows + step->children->len, total = run->rows_done + rows;
  gboolean first = run->rows_counted < 0 && step->continues && step->job->page_count != NULL
                   && step->job->kind->pages;
  RowLimits limits;
  const char *why;
  gint64 bound;
  if (in_force_approve (step->job) == APPROVE_NEVER || is_errand (step) || (rows == 0 && !first))
    return TRUE;
  if (step->finds & FINDS_BESIDE)
    return brake_within_range (step, rows, error);
  if (run_is_approved (run))
    return check_approved (step, total, first, error);
  if (step->finds & FINDS_FOR_EVENT && event_limits_are_of (step))
    first = FALSE;
  if (whole_counts_first (step, first))
    return count_first (step, error);
  if (!limits_ask (step, rows, &why, error))
    return FALSE;
  if (why != NULL || is_to_be_counted_again (run, rows))
    return count_first (step, error);
  if (!first)
    return bound_find (step, rows, &bound, error) && (total <= bound || count_first (step, error));
  if (!limits_read (step, bound_below (step), count_own_rows (step->counts), &limits, error))
    return FALSE;
  bound = limits_least (&limits);
  bound_remember (step, limits);
  return total <= bound ? check_rest (step, total, bound, error) : count_first (step, error);
}

/* Before its first rows go: whether the run exceeds a limit that only reading the table or the runs
 * before it shows. */
static gboolean
check_share (Step *step, gint64 n, gint64 below, GError **error)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  RowLimits limits;
  const gint64 total = step->run->rows_done + n;
  if (n == 0 || total <= share_free_rows (set) || (set->max_share < 0 && set->max_ratio < 0))
    return TRUE;
  if (!limits_read (step, below, 0, &limits, error))
    return FALSE;
  return total <= limits_least (&limits) || count_first (step, error);
}

/* How many rows the run of STEP would change from here on, if this can be asked before it does. */
static gboolean
is_counted_before (const Step *step)
{
  return step->job->count != NULL || step->job->kind->counted_ahead;
}

/* Once a run; each lease of an errand; and when an approval has ended: what goes with a row goes
 * before it does. */
static gboolean
is_to_count_before (const Step *step)
{
  return is_counted_before (step) && in_force_approve (step->job) != APPROVE_NEVER
         && (is_errand (step) || step->run->rows_counted < 0 || run_was_approved (step->run));
}

/* How many rows the run may change, as far as this can be said before it does. */
static gboolean
bound_before (Step *step, gint64 *bound, GError **error)
{
  gint64 day = LIMIT_NONE;
  if (!bound_find (step, is_errand (step) ? in_force_of (step->job)->batch : 0, bound, error)
      || (is_errand (step) && !day_room (step, &day, error)))
    return FALSE;
  *bound = MIN (*bound, day);
  return TRUE;
}

static gboolean
find_room (CountAhead *one, GError **error)
{
  const Run *run = one->step->run;
  one->bound = run->approved_rows;
  if (!run_is_approved (run) && !bound_before (one->step, &one->bound, error))
    return FALSE;
  one->room = one->bound == LIMIT_NONE ? LIMIT_NONE - 1 : MAX (0, one->bound - run->rows_done);
  one->limit = one->room + 1;
  if (run->rows_counted >= 0)
    one->limit = MIN (one->limit, in_force_of (one->step->job)->batch);
  return TRUE;
}

/* Its keys do not say how many rows go with them. */
static gboolean
takes_others (const CountAhead *one)
{
  const Step *step = one->step;
  return is_errand (step) && step->job->below != NULL && step->run->rows_counted < 0 && one->n > 0
         && one->bound != LIMIT_NONE && !page_is_named (step->run);
}

/* A job says how many rows its run would change before the first one goes. Each lease of an errand
 * is counted, because what it has done cannot be rolled back. */
static gboolean
judge_before (const CountAhead *one, GError **error)
{
  Step *step = one->step;
  const Run *run = step->run;
  const gboolean again = run->rows_counted >= 0;
  const char *why = NULL;
  if (!run_is_approved (run) && !limits_ask (step, one->n, &why, error))
    return FALSE;
  step->counted = run->rows_done + one->n;
  if (takes_others (one))
    return count_first (step, error);
  if (one->n > one->room || why != NULL || is_to_be_counted_again (run, one->n))
    return count_first (step, error);
  if (is_errand (step) && one->bound != LIMIT_NONE)
    step->room = one->room;
  if (!again && !run_is_approved (run) && !check_share (step, one->n, one->below, error))
    return FALSE;
  return again || !is_errand (step) || brake_note_planned (step, step->counted, error);
}

/* Partitions that one step has noted are dropped by later steps, which change no further row. */
static gboolean
has_noted_partitions (const Step *step)
{
  return step->job->kind->ends_later && step->run->rows_done > 0
         && in_force_approve (step->job) != APPROVE_NEVER;
}

/* Adds STEP to ALL (of CountAhead) if it is to be counted. */
static gboolean
begin_before (Step *step, GArray *all, GError **error)
{
  CountAhead one = { .step = step };
  if (in_force_mode (step->job) == MODE_PLAN || run_is_planned (step->run))
    return plan_mode_step (step, error);
  if (has_noted_partitions (step) && run_was_approved (step->run))
    return count_first (step, error);
  if (!is_to_count_before (step))
    return TRUE;
  if (!find_room (&one, error))
    return FALSE;
  g_array_append_val (all, one);
  return TRUE;
}

/* Counting would give the same for both steps, as far as is known, and was done for OTHER. */
static gboolean
is_alike (const Step *step, const Step *other)
{
  const Run *a = step->run, *b = other->run;
  return is_errand (step) && other->counted >= 0 && a->rows_counted < 0 && b->rows_counted < 0
         && a->rows_done == b->rows_done && a->rows_limit == b->rows_limit && !run_is_approved (a)
         && a->approved_until_us <= 0 && b->approved_until_us <= 0;
}

static gboolean
take_over (Step *step, const Step *other, GError **error)
{
  gint64 day;
  if (!day_room (step, &day, error))
    return FALSE;
  if (day < LIMIT_NONE)
    return step_fail (step, error, PRUNED_BUSY, "the limit of a day is near; tried again alone");
  step->counted = other->counted;
  step->limited = other->limited;
  step->room = other->room;
  return brake_note_planned (step, step->counted, error);
}

/* Those of ALL (of CountAhead), and none any more. All are asked before any is judged, because
 * judging can send queries, too. */
static gboolean
count_before (GArray *all, const char **at_fault, GError **error)
{
  CountAhead *first = &g_array_index (all, CountAhead, 0);
  GError *cause = NULL;
  *at_fault = NULL;
  if (all->len > 0 && !count_ahead (first, all->len, &cause))
    return count_slow (first->step, all->len == 1 ? first->bound : LIMIT_NONE, cause, error);
  for (guint i = 0; i < all->len; i++) {
    *at_fault = first[i].step->run->run_id;
    if (!judge_before (&first[i], error))
      return FALSE;
  }
  *at_fault = NULL;
  g_array_set_size (all, 0);
  return TRUE;
}

gboolean
brakes_before (Step *const *steps, guint n, const char **at_fault, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (CountAhead));
  for (guint i = 0; i < n; i++) {
    *at_fault = steps[i]->run->run_id;
    if (!(i > 0 && is_alike (steps[i], steps[0]) ? take_over (steps[i], steps[0], error)
                                                 : begin_before (steps[i], all, error))
        || (is_errand (steps[i]) && !count_before (all, at_fault, error)))
      return FALSE;
  }
  return count_before (all, at_fault, error);
}
