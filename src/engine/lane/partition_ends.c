#include "engine/lane/partition_ends.h"

#include "engine/lane/trail.h"

#define WATERMARKS_MS 500

/* Below this offset there is no message that was not taken, as PostgreSQL knows. */
static gint64
known_to (const LaneView *view)
{
  return MAX (view->mine, view->read_to);
}

gboolean
partition_ends_noted (const LaneView *view)
{
  return view->job != NULL || view->mine < 0 || !view->at_end || view->handled <= known_to (view);
}

gint64
partition_ends_behind (const Lane *lane, gint64 next)
{
  gint64 low, high;
  if (!kafka_partition_watermarks (lane->partition, WATERMARKS_MS, &low, &high, NULL))
    return -1;
  return low <= next ? lane->worker.end_seen : -1;
}

typedef struct {
  const char *topic;
  gint32 number;
  guint begun;
  gint64 mine, to;
} End;

static gboolean
store (Service *service, Pg *pg, const End *end, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", end->topic);
  pg_values_int (values, "partition", end->number);
  pg_values_int (values, "mine", end->mine);
  pg_values_int (values, "read_to", end->to);
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/lane/sql/intake_read_to.sql", values, error);
  if (rows != NULL && rows_count (rows) > 0)
    trail_note_end (service->lanes, end->topic, end->number, end->begun, end->to);
  return rows != NULL;
}

/* The low watermark is read after the end was seen: if it is not above what is known, nothing was
 * dropped in between, so everything up to the end was read. */
void
partition_ends_reached (Service *service, Pg *pg, Lane *lane)
{
  g_autoptr (GError) error = NULL;
  const End end
      = { lane->topic, lane->number, lane->intake.begun, lane->intake.mine, lane->worker.end_seen };
  const gint64 known = MAX (end.mine, atomic_load (&lane->intake.seen_to));
  gint64 low, high;
  if (lane->job != NULL || lane->worker.pending->len > 0 || end.mine < 0 || end.to <= known
      || !kafka_partition_watermarks (lane->partition, WATERMARKS_MS, &low, &high, NULL)
      || low > known)
    return;
  atomic_store (&lane->intake.seen_to, end.to);
  (void)store (service, pg, &end, &error); /* else housekeeping does it */
}

/* The end of VIEW, or how far it was read before something was dropped. -1: Kafka does not answer.
 */
static gint64
read_to (const LaneView *view)
{
  const gint64 seen = MAX (view->mine, view->seen_to);
  gint64 low, high;
  if (view->handled <= seen)
    return view->handled;
  if (!kafka_partition_watermarks (view->partition, WATERMARKS_MS, &low, &high, NULL))
    return -1;
  return low <= seen ? view->handled : seen;
}

gboolean
partition_ends_look (Service *service, Pg *pg, const GArray *views, GError **error)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (partition_ends_noted (view))
      continue;
    const End end = { view->topic, view->number, view->begun, view->mine, read_to (view) };
    if (end.to < 0)
      return TRUE; /* the next look asks again */
    if (end.to <= known_to (view))
      trail_set_astray (service->lanes, view->topic, view->number, view->begun);
    else if (!store (service, pg, &end, error))
      return FALSE;
  }
  return TRUE;
}
