/* Rows that errands have leased: they count for the day before they go, because what a store has
 * deleted cannot be rolled back. */
#include "engine/brakes/brakes.h"

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
  for (guint i = 0; i < n && !limited; i++)
    limited = event_limits_are_of (steps[i]);
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
