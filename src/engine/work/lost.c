#include "engine/work/lost.h"

#include "engine/lane/lane.h"

#define ASK_MS 5000

gboolean
lost_note (Service *service, Pg *pg, const Lane *lane, gint64 first, gint64 next, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_int (values, "first", first);
  pg_values_int (values, "next", next);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/work/sql/lost_put.sql", values, error);
  return rows != NULL;
}

void
lost_say (const Lane *lane, gint64 first, gint64 next)
{
  g_autoptr (json_t) fields
      = json_pack ("{s:s, s:i, s:I, s:I, s:I}", "topic", lane->topic, "partition",
                   (int)lane->number, "first_offset", (json_int_t)first, "next_offset",
                   (json_int_t)next, "lost", (json_int_t)(next - first));
  log_fields (LOG_ERROR, "Messages expired before they were read: what they asked for is not done",
              fields);
}

void
lost_say_others (const Lane *lane, gint64 first, gint64 next)
{
  g_autoptr (json_t) fields
      = json_pack ("{s:s, s:i, s:I, s:I}", "topic", lane->topic, "partition", (int)lane->number,
                   "first_offset", (json_int_t)first, "next_offset", (json_int_t)next);
  log_fields (LOG_ERROR, "Kafka lost or replaced messages that were read; re-reading from there",
              fields);
}

gboolean
lost_look (const Lane *lane, gint64 offset, gint64 *next, GError **error)
{
  gint64 low, high;
  if (!kafka_partition_watermarks (lane->partition, ASK_MS, &low, &high, error))
    return FALSE;
  *next = MAX (offset, low);
  return TRUE;
}
