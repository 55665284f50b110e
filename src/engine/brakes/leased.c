/* Rows that errands have leased: they count for the limits before they go, because what a store has
 * deleted cannot be rolled back. Rows that come beside them later count before they are settled: if
 * these are too many, the rows stay without their objects until the run is approved. */
#include "engine/brakes/brakes.h"

#include "engine/brakes/bound.h"
#include "engine/brakes/count.h"
#include "engine/job/in_force.h"

static gboolean
refuse (Step *step, GError **error)
{
  step_set_brake (step, BRAKE_COUNT);
  return step_fail (step, error, PRUNED_RETRY, "the run is to be counted");
}

static gboolean
queue_leased (const Step *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_int (values, "rows", day_leased (step));
  return pg_queue (step->pg, pg_statement ("src/engine/brakes/sql/leased.sql"), values, error);
}

gboolean
brakes_note_leased (Step *const *steps, guint n, DayAllowance *allowance, GError **error)
{
  Pg *pg = steps[0]->pg;
  gboolean limited = in_force_of (steps[0]->job)->limits.max_rows_per_day >= 0;
  for (guint i = 0; i < n; i++) {
    steps[i]->leased = day_leased (steps[i]);
    if (steps[i]->room >= 0 && steps[i]->leased > steps[i]->room)
      return refuse (steps[i], error);
    limited = limited || event_limits_are_of (steps[i]);
  }
  if (!limited)
    return TRUE;
  if (!day_take_leased (steps, n, allowance, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!queue_leased (steps[i], error))
      return FALSE;
  if (!pg_flush (pg, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    g_autoptr (PgRows) done = pg_next (pg, error);
    if (done == NULL)
      return FALSE;
  }
  return pg_finish (pg, error);
}

void
brakes_begin_settling (Step *step, gint64 rows)
{
  step->leased = rows;
}

/* What was leased was judged then. */
static gboolean
check_settled (Step *step, GError **error)
{
  const Run *run = step->run;
  gint64 bound = run->approved_rows;
  if (step->rows <= step->leased || in_force_approve (step->job) == APPROVE_NEVER)
    return TRUE;
  if (!run_is_approved (run) && !bound_find (step, step->rows, &bound, error))
    return FALSE;
  return run->rows_done + step->rows <= bound || refuse (step, error);
}

gboolean
brakes_after_settled (Step *const *steps, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!check_settled (steps[i], error))
      return FALSE;
  return TRUE;
}
