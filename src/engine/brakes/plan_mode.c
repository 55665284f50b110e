#include "engine/brakes/plan_mode.h"

#include "base/clock.h"
#include "engine/brakes/count.h"
#include "engine/step/pace.h"
#include "engine/step/page_keys.h"
#include "engine/step/plan.h"

#include <string.h>

#define LONGEST_US (8 * G_USEC_PER_SEC)
#define GONE_MOST (1024 * 1024) /* bytes of keys in a run's row */

/* The next step goes on where RUN is, knowing what would be gone. Takes over what it is. */
static void
continue_plan (Step *step, const PlanTally *tally, Run *run)
{
  gboolean fits = tally->gone->len <= GONE_MOST;
  step_continue (step, g_steal_pointer (&run->cursor), 0);
  run_progress_take (&step->next, &run->progress);
  run_progress_set (&step->next.plan_gone, json_string (fits ? tally->gone->str : "{"));
}

/* A run about one row says why the row stays. */
static void
tell_reason (Step *step, const PlanTally *tally)
{
  if (page_is_named (step->run) && tally->reason != NULL)
    step_reason (step, tally->reason);
}

static gboolean
plan_pages (Step *step, GError **error)
{
  Run run = *step->run;
  run.cursor = run.cursor != NULL ? json_deep_copy (run.cursor) : NULL;
  run.progress = run_progress_copy (&run.progress);
  g_autoptr (Step) planner = step_new (step->pg, &run, step->prefix, NULL, NULL);
  g_auto (PlanTally) tally = { 0 };
  plan_tally_init (&tally, json_string_value (run.progress.plan_gone));
  tally.deadline_us = clock_monotonic_us () + LONGEST_US;
  gboolean ok = plan_tally (planner, &tally, error);
  step_fails_as (step, planner);
  if (ok) {
    step_add_counts (step->counts, tally.counts);
    step->counted = MAX (0, step->run->rows_counted) + tally.rows;
    tell_reason (step, &tally);
  }
  if (ok && tally.more)
    continue_plan (step, &tally, &run);
  g_clear_pointer (&run.cursor, json_decref);
  run_progress_clear (&run.progress);
  return ok;
}

static gboolean
plan_errand (Step *step, GError **error)
{
  CountAhead ahead = { .step = step, .limit = COUNT_MOST };
  if (step->job->count != NULL && !count_ahead (&ahead, 1, error))
    return FALSE;
  step_add_count (step->counts, "updated_rows", ahead.n - ahead.below);
  step->counted = ahead.n;
  return count_beside (step, COUNT_MOST, error);
}

/* Step after step, each with what the one before has done; nothing of it stays. */
static gboolean
plan_steps (Step *step, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + LONGEST_US;
  const int first = step->run->step;
  gboolean ok, fits = TRUE;
  do {
    if (step->continues)
      step_go_ahead (step);
    ok = step->job->code->step (&step, 1, &fits, error);
  } while (ok && step->continues && step->next_delay_ms <= 0 && clock_monotonic_us () < until_us);
  if (ok && step->continues)
    step_reason (step, "planned as far as one transaction reaches");
  step_come_back (step, first);
  if (step->children->len > 0)
    step_add_count (step->counts, "scheduled", step->children->len);
  step->counted = step->rows + step->children->len;
  g_array_set_size (step->children, 0);
  g_array_set_size (step->logs, 0);
  return ok;
}

/* What only starts runs starts none. `pruned plan` shows what each of these would do. */
static gboolean
plan_nothing (Step *step, GError **error)
{
  step->counted = 0;
  return TRUE;
}

static gboolean (*const plans[JOB_KINDS]) (Step *step, GError **error)
    = { [KIND_PAGE] = plan_pages,     [KIND_CODED] = plan_steps, [KIND_ERRAND] = plan_errand,
        [KIND_OBJECTS] = plan_pages,  [KIND_FILES] = plan_pages, [KIND_PARTITIONS] = plan_pages,
        [KIND_ERASURE] = plan_nothing };

gboolean
plan_mode_step (Step *step, GError **error)
{
  pg_set_deadline (step->pg, step->transaction_us + PACE_MOST_US); /* whatever the job's budget */
  if (!plans[step->job->kind->name](step, error))
    return FALSE;
  step_set_brake (step, BRAKE_PLANNED);
  return step_fail (step, error, PRUNED_RETRY, "planned");
}
