#include "engine/lane/astray.h"

#include "base/clock.h"
#include "engine/lane/lane_private.h"

#define KAFKA_EVERY_US G_TIME_SPAN_MINUTE
#define WATERMARKS_MS 500

/* The lanes' positions are copied before PostgreSQL is asked: they follow its commits, so it can only be ahead of the copy. */
static PgValues *
positions (Service *service)
{
  GString *topics = array_new (), *partitions = array_new (), *mine = array_new (), *last = array_new ();
  g_autoptr (GArray) views = lanes_view (service->lanes);
  for (guint i = 0; i < views->len; i++)
    {
      const LaneView *view = &g_array_index (views, LaneView, i);
      if (view->job != NULL || view->mine < 0)
        continue;
      array_add (topics, view->topic);
      array_add_int (partitions, view->number);
      array_add_int (mine, view->mine);
      array_add_int (last, view->mine_last_ms);
    }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_take (values, "topic", array_take (topics));
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "mine", array_take (mine));
  pg_values_take (values, "last_ms", array_take (last));
  return values;
}

static void
set_astray (Lanes *lanes, const char *topic, gint32 number)
{
  pthread_mutex_lock (&lanes->lock);
  for (guint i = 0; i < lanes->all->len; i++)
    {
      Lane *lane = lanes->all->pdata[i];
      if (lane->job != NULL || lane->revoked || lane->number != number || !g_str_equal (lane->topic, topic))
        continue;
      lane->astray = lane->woken = TRUE;
      if (lane->state == LANE_IDLE)
        lanes_make_ready (lanes, lane);
    }
  pthread_mutex_unlock (&lanes->lock);
}

/* A broker that lagged behind may lead the partition now (an unclean election): it ends before what we have taken, or has another message
 * where our last one was. One lane a look, each once a minute; who does not answer is asked again. */
static void
look_at_kafka (Service *service)
{
  static guint turn;
  static gint64 asked_us; /* of the one dispatcher thread */
  g_autoptr (GArray) views = lanes_view (service->lanes);
  if (clock_monotonic_us () - asked_us < KAFKA_EVERY_US || views->len == 0)
    return;
  while (turn < views->len && (g_array_index (views, LaneView, turn).job != NULL || g_array_index (views, LaneView, turn).mine <= 0))
    turn++;
  if (turn >= views->len)
    {
      turn = 0;
      asked_us = clock_monotonic_us ();
      return;
    }
  const LaneView *view = &g_array_index (views, LaneView, turn++);
  g_autoptr (GError) error = NULL;
  gint64 low, high, timestamp_ms;
  if (view->mine_last_ms == 0 || !kafka_partition_watermarks (view->partition, WATERMARKS_MS, &low, &high, &error))
    return;
  gboolean other = high < view->mine;
  if (!other && low < view->mine
      && kafka_message_timestamp (service->kafka_settings, view->topic, view->number, view->mine - 1, &timestamp_ms, &error))
    other = timestamp_ms != view->mine_last_ms;
  if (!other)
    return;
  g_autofree char *partition = g_strdup_printf ("%d", view->number);
  log_warning ("Kafka has other messages than were taken from it; what it has is read from its beginning", "topic", view->topic,
               "partition", partition);
  set_astray (service->lanes, view->topic, view->number);
}

gboolean
astray_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = positions (service);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/lane/sql/intake_astray.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    {
      const char *topic = rows_text (rows, i, "topic"), *partition = rows_text (rows, i, "partition");
      log_warning ("PostgreSQL knows less than before; messages are read again from where it stands", "topic", topic,
                   "partition", partition);
      set_astray (service->lanes, topic, (gint32)rows_int (rows, i, "partition"));
    }
  if (rows != NULL)
    look_at_kafka (service);
  return rows != NULL;
}

gboolean
astray_take (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean astray = lane->astray;
  lane->astray = FALSE;
  pthread_mutex_unlock (&lanes->lock);
  return astray;
}
