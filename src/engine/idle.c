#include "engine/idle.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/lane/lane.h"
#include "engine/lane/partition_ends.h"
#include "engine/outbox/publish.h"

#define EVERY_US 20000

static gboolean
lanes_at_end (const GArray *views)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (view->busy || !view->at_end || !partition_ends_noted (view))
      return FALSE;
  }
  return views->len > 0;
}

/* Asks for the end again, because others write ticks and events at any time. */
static gboolean
intake_at_end (const GArray *views)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    gint64 high;
    g_autoptr (GError) error = NULL;
    if (view->job == NULL
        && (!kafka_partition_watermarks (view->partition, 1000, NULL, &high, &error)
            || view->handled < high))
      return FALSE;
  }
  return TRUE;
}

/* No other transaction comes in time to remove what the last step has sent. */
static gboolean
rows_at_rest (Service *service)
{
  Pg *pg = service->main.pg;
  g_autoptr (GError) error = NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", in_force_names (TRUE));
  g_autoptr (PgRows) rows = transaction_remove_sent (service->publisher, pg, &error)
                                ? pg_run_file (pg, "src/engine/sql/idle.sql", values, &error)
                                : NULL;
  if (rows == NULL) {
    pg_rollback (pg);
    log_warning_every (10, "idle", "Could not check for remaining work", error->message);
  }
  return rows != NULL && !rows_bool (rows, 0, "busy");
}

gboolean
idle_reached (Service *service, gint64 *looked_us)
{
  gint64 now = clock_monotonic_us ();
  if (now - *looked_us < EVERY_US || !kafka_consumer_joined (service->consumer))
    return FALSE;
  *looked_us = now;
  g_autoptr (GArray) before = lanes_view (service->lanes);
  if (atomic_load (&service->shared.ticks_asked) || !lanes_at_end (before)
      || !intake_at_end (before) || !pg_ensure (service->main.pg, NULL) || !rows_at_rest (service))
    return FALSE;
  g_autoptr (GArray) after = lanes_view (service->lanes);
  return lanes_at_end (after) && after->len == before->len;
}
