#include "engine/astray.h"

#include "engine/lane_private.h"

/* The lanes' positions are copied before PostgreSQL is asked: they follow its commits, so it can only be ahead of the copy. */
static PgValues *
positions (Service *service)
{
  GString *topics = array_new (), *partitions = array_new (), *mine = array_new ();
  g_autoptr (GArray) views = lanes_view (service->lanes);
  for (guint i = 0; i < views->len; i++)
    {
      const LaneView *view = &g_array_index (views, LaneView, i);
      if (view->job != NULL || view->mine < 0)
        continue;
      array_add (topics, view->topic);
      array_add_int (partitions, view->number);
      array_add_int (mine, view->mine);
    }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_take (values, "topic", array_take (topics));
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "mine", array_take (mine));
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

gboolean
astray_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = positions (service);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/sql/intake_astray.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    {
      const char *topic = rows_text (rows, i, "topic"), *partition = rows_text (rows, i, "partition");
      log_warning ("PostgreSQL knows less than before; messages are read again from where it stands", "topic", topic,
                   "partition", partition);
      set_astray (service->lanes, topic, (gint32)rows_int (rows, i, "partition"));
    }
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
