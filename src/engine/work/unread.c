#include "engine/work/unread.h"

#include "base/fault.h"
#include "engine/lane/outage.h"
#include "engine/lane/trail.h"
#include "kafka/partition_unread.h"
#include "kafka/unpack.h"
#include "kafka/unread.h"

#define SQL "src/engine/work/sql/"

static PgValues *
values_of (const Service *service, const Lane *lane, gint64 next)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_int (values, "next", next);
  return values;
}

static gboolean
note (Service *service, Pg *pg, const Lane *lane, const KafkaStretch *batch, GError **error)
{
  g_autoptr (PgValues) values = values_of (service, lane, batch->to);
  pg_values_int (values, "first", batch->from);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "unread_put.sql", values, error);
  return rows != NULL;
}

/* Intake's offset moves past the batch. */
static gboolean
advance (Service *service, Pg *pg, Lane *lane, gint64 next, GError **error)
{
  g_autoptr (PgValues) values = values_of (service, lane, next);
  pg_values_set (values, "last_ms", NULL);
  pg_values_set (values, "read_to", NULL);
  pg_values_int (values, "mine", lane->intake.mine);
  trail_add_same (service->lanes, lane, values);
  g_autoptr (PgRows) moved = pg_run_file (pg, SQL "intake_advance.sql", values, error);
  if (moved == NULL || rows_count (moved) > 0)
    return moved != NULL;
  lane->worker.started = FALSE; /* find the start again */
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s [%d]: another process has moved on",
               lane->topic, lane->number);
  return FALSE;
}

static gboolean
store (Service *service, Pg *pg, Lane *lane, const KafkaStretch *batch, GError **error)
{
  if (!pg_begin (pg, error))
    return FALSE;
  if (!note (service, pg, lane, batch, error)
      || (lane->job == NULL && !advance (service, pg, lane, batch->to, error))
      || !pg_commit (pg, error)) {
    pg_rollback (pg);
    return FALSE;
  }
  FAULT ("unread.after_commit");
  if (lane->job == NULL)
    trail_begin (service->lanes, lane, batch->to, 0);
  return TRUE;
}

static void
say (const Lane *lane, const KafkaStretch *batch)
{
  g_autoptr (json_t) fields
      = json_pack ("{s:s, s:i, s:I, s:I, s:I}", "topic", lane->topic, "partition",
                   (int)lane->number, "first_offset", (json_int_t)batch->from, "last_offset",
                   (json_int_t)(batch->to - 1), "most_mb", (json_int_t)UNPACK_BATCH_MB);
  log_fields (LOG_ERROR, "A batch cannot be unpacked: its messages are passed over", fields);
}

/* BATCH is of PARTITION. What was read before it was passed over: after a restart the group can be
 * behind PostgreSQL. */
static gboolean
pass_over (Service *service, Pg *pg, Lane *lane, KafkaStretch *batch, GError **error)
{
  const gint64 next = batch->to;
  if (lane->job == NULL && lane->intake.mine >= 0)
    batch->from = MAX (batch->from, lane->intake.mine);
  if (batch->from < next) {
    if (!store (service, pg, lane, batch, error))
      return FALSE;
    say (lane, batch);
  }
  lane->worker.taken = next;
  lane->worker.end_seen = -1;
  lane->worker.outages = 0;
  return kafka_partition_seek (lane->partition, next, error);
}

LaneNext
unread_pass_over (Service *service, Pg *pg, Lane *lane)
{
  g_autoptr (GError) error = NULL;
  KafkaStretch batch;
  const gint64 first = kafka_partition_unread (lane->partition);
  if (first < 0)
    return LANE_DONE;
  gboolean answered = kafka_unread_batch (service->kafka_settings, lane->topic, lane->number, first,
                                          &batch, &error);
  lanes_touch (service->lanes, lane);
  if (answered && (batch.from >= batch.to || pass_over (service, pg, lane, &batch, &error)))
    return LANE_AGAIN;
  return outage_hold (service, lane, error);
}
