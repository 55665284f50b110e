#include "engine/lane/ends.h"

#include "engine/lane/trail.h"

#define WATERMARKS_MS 500

/* Below this offset there is no message that was not taken. */
static gint64
known_to (const LaneView *view)
{
  return MAX (view->mine, view->read_to);
}

gboolean
ends_noted (const LaneView *view)
{
  return view->job != NULL || view->mine < 0 || !view->at_end || view->handled <= known_to (view);
}

gint64
ends_behind (const Lane *lane, guint n)
{
  const GArray *pending = lane->worker.pending;
  const gint64 end = lane->worker.end_seen,
               next = g_array_index (pending, LaneMessage, n - 1).message->offset + 1;
  gint64 low, high;
  if (n < pending->len || end <= next
      || !kafka_partition_watermarks (lane->partition, WATERMARKS_MS, &low, &high, NULL))
    return -1;
  return low <= next ? end : -1;
}

static gboolean
note (Service *service, Pg *pg, const LaneView *view, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", view->topic);
  pg_values_int (values, "partition", view->number);
  pg_values_int (values, "mine", view->mine);
  pg_values_int (values, "read_to", view->handled);
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/lane/sql/intake_read_to.sql", values, error);
  if (rows != NULL && rows_count (rows) > 0)
    trail_note_end (service->lanes, view->topic, view->number, view->begun, view->handled);
  return rows != NULL;
}

/* The low watermark is read after the end was seen: if it is not above what is known, nothing was
 * dropped in between, so everything up to the end was read. */
gboolean
ends_look (Service *service, Pg *pg, const GArray *views, GError **error)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    gint64 low, high;
    if (ends_noted (view))
      continue;
    if (!kafka_partition_watermarks (view->partition, WATERMARKS_MS, &low, &high, NULL))
      return TRUE; /* the next look asks again */
    if (low > known_to (view))
      trail_set_astray (service->lanes, view->topic, view->number, view->begun);
    else if (!note (service, pg, view, error))
      return FALSE;
  }
  return TRUE;
}
