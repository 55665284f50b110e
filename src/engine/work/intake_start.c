#include "engine/lane/trail.h"
#include "engine/work/intake.h"
#include "engine/work/lost.h"

#define SQL "src/engine/work/sql/"

/* *MS: the timestamp of the message before OFFSET; 0: the log does not have it. FALSE: no answer.
 */
static gboolean
time_before (Service *service, const Lane *lane, gint64 offset, gint64 low, gint64 *ms,
             GError **error)
{
  GError *cause = NULL;
  *ms = 0;
  if (offset <= low
      || kafka_message_timestamp (service->kafka_settings, lane->topic, lane->number, offset - 1,
                                  ms, &cause))
    return TRUE;
  *ms = 0;
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

/* The same of what was compared last: since then another process may have taken messages of a topic
 * that was made anew, the one before `mine` too. */
static gboolean
look_before (Service *service, Lane *lane, gint64 low, Stretch *others, GError **error)
{
  const Taken same = trail_same (service->lanes, lane);
  gint64 ms = 0;
  if (same.offset >= 0 && same.offset + 1 < lane->intake.mine
      && !time_before (service, lane, same.offset + 1, low, &ms, error))
    return FALSE;
  if (ms != 0 && ms != same.timestamp_ms)
    *others = (Stretch){ low, same.offset + 1 };
  return TRUE;
}

/* *OTHERS: offsets at which Kafka has other messages than were read, or none, because a replica
 * that lagged became leader (unclean election) or the topic was recreated. Either housekeeping
 * has found the stretch, or the last message read is missing or differs; then nothing is known of
 * those before it. Housekeeping's finding does not count for the last message alone: a broker
 * that has just lost leadership may have reported too low an end. */
static gboolean
look_for_others (Service *service, Lane *lane, gint64 low, gint64 high, Stretch *others,
                 GError **error)
{
  gint64 ms = 0;
  *others = trail_others (service->lanes, lane);
  others->from = MAX (others->from, low);
  if (others->from < others->to && others->to < lane->intake.mine)
    return TRUE;
  if (others->from >= others->to)
    *others = (Stretch){ low, lane->intake.mine };
  if (lane->intake.mine >= 0 && lane->intake.mine <= high
      && !time_before (service, lane, lane->intake.mine, low, &ms, error))
    return FALSE;
  if (lane->intake.mine > high
      || (lane->intake.mine >= 0 && ms != 0 && lane->intake.mine_last_ms != 0
          && ms != lane->intake.mine_last_ms))
    return TRUE;
  *others = (Stretch){ 0, 0 };
  if (!look_before (service, lane, low, others, error))
    return FALSE;
  if (others->from == others->to && ms != 0 && ms == lane->intake.mine_last_ms)
    trail_set_same (service->lanes, lane);
  return TRUE;
}

static PgValues *
values_of (const Service *service, const Lane *lane)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  return values;
}

/* The parameters `topic`, `partition`, `next` and `last_ms` for a lane that begins at START. NULL:
 * an error. */
static PgValues *
start_values (Service *service, Lane *lane, gint64 start, gint64 low, gint64 *last_ms,
              GError **error)
{
  if (!time_before (service, lane, start, low, last_ms, error))
    return NULL;
  PgValues *values = values_of (service, lane);
  pg_values_int (values, "next", start);
  if (*last_ms != 0)
    pg_values_int (values, "last_ms", *last_ms);
  else
    pg_values_set (values, "last_ms", NULL);
  return values;
}

/* The partition's first assignment: stores its start before the first message. */
static gboolean
plant (Service *service, Pg *pg, Lane *lane, gint64 start, gint64 low, GError **error)
{
  gint64 last_ms;
  g_autoptr (PgValues) values = start_values (service, lane, start, low, &last_ms, error);
  if (values == NULL)
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "intake_plant.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) == 0) {
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
                 "%s [%d]: another process has begun with this partition, too", lane->topic,
                 lane->number);
    return FALSE;
  }
  trail_begin (service->lanes, lane, start, last_ms);
  return TRUE;
}

static gboolean
read_mine (Service *service, Pg *pg, Lane *lane, GError **error)
{
  g_autoptr (PgValues) values = values_of (service, lane);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "intake_start.sql", values, error);
  if (rows == NULL)
    return FALSE;
  gboolean dated = rows_count (rows) > 0 && rows_text (rows, 0, "last_ms") != NULL;
  gint64 was = lane->intake.mine,
         is = rows_count (rows) > 0 ? rows_int (rows, 0, "next_offset") : -1;
  /* As in lane/astray.c, which may look later than this. */
  if (is >= 0 && is < was) {
    g_autofree char *partition = g_strdup_printf ("%d", lane->number);
    log_warning ("PostgreSQL was set back; re-reading from its saved offsets", "topic", lane->topic,
                 "partition", partition);
  }
  Taken same = { -1, 0 };
  if (rows_count (rows) > 0 && rows_text (rows, 0, "same_offset") != NULL)
    same = (Taken){ rows_int (rows, 0, "same_offset"), rows_int (rows, 0, "same_ms") };
  trail_resume (service->lanes, lane, is, dated ? rows_int (rows, 0, "last_ms") : 0, same);
  if (is >= 0)
    trail_set_read_to (lane, rows_int (rows, 0, "read_to"));
  return TRUE;
}

/* The next expected messages are gone: logs it once and moves the offset past them, because there
 * may never be another message to move it. */
static gboolean
pass_over_lost (Service *service, Pg *pg, Lane *lane, gint64 expected, gint64 low, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_int (values, "next", low);
  pg_values_int (values, "last_ms", lane->intake.mine_last_ms);
  pg_values_int (values, "mine", lane->intake.mine);
  trail_add_same (service->lanes, lane, values);
  pg_values_set (values, "read_to", NULL);
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) moved = lost_note (service, pg, lane, expected, low, error)
                                 ? pg_run_file (pg, SQL "intake_advance.sql", values, error)
                                 : NULL;
  if (moved != NULL && rows_count (moved) == 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s [%d]: another process has moved on",
                 lane->topic, lane->number);
  if (moved == NULL || rows_count (moved) == 0 || !pg_commit (pg, error)) {
    pg_rollback (pg);
    return FALSE;
  }
  trail_begin (service->lanes, lane, low, 0);
  lost_say (lane, expected, low);
  return TRUE;
}

/* Moves the offset back to where the other messages begin; rows made from the old ones stay.
 * Meanwhile the lane's offset counts as not known; else housekeeping would conclude that
 * PostgreSQL was set back. */
static gboolean
go_back (Service *service, Pg *pg, Lane *lane, const Stretch *others, gint64 low, GError **error)
{
  gint64 start = others->from, last_ms, mine = lane->intake.mine;
  g_autoptr (PgValues) values = start_values (service, lane, start, low, &last_ms, error);
  if (values == NULL)
    return FALSE;
  pg_values_int (values, "mine", mine);
  pg_values_int (values, "others_to", others->to);
  trail_begin (service->lanes, lane, -1, 0);
  g_autoptr (PgRows) moved = pg_run_alone (pg, SQL "intake_go_back.sql", values, error);
  if (moved == NULL)
    return FALSE;
  if (rows_count (moved) == 0) {
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s [%d]: another process has moved on",
                 lane->topic, lane->number);
    return FALSE;
  }
  trail_begin (service->lanes, lane, start, last_ms);
  lost_say_others (lane, start, others->to);
  return TRUE;
}

gboolean
intake_start (Service *service, Pg *pg, Lane *lane, GError **error)
{
  gint64 committed, low, high;
  Stretch others;
  if (!read_mine (service, pg, lane, error)
      || !kafka_partition_committed (lane->partition, 5000, &committed, error)
      || !kafka_partition_watermarks (lane->partition, 5000, &low, &high, error)
      || !look_for_others (service, lane, low, high, &others, error))
    return FALSE;
  gboolean back = others.from < others.to;
  if (back && !go_back (service, pg, lane, &others, low, error))
    return FALSE;
  gint64 expected = lane->intake.mine < 0 ? committed : atomic_load (&lane->intake.read_to);
  if (!back && expected >= 0 && expected < low
      && !pass_over_lost (service, pg, lane, expected, low, error))
    return FALSE;
  gint64 start = lane->intake.mine < 0 ? committed
                 : committed < 0       ? lane->intake.mine
                                       : MIN (lane->intake.mine, committed);
  if (back)
    start = lane->intake.mine;
  else if (start < low || start > high)
    start = low;
  if (lane->intake.mine < 0 && !plant (service, pg, lane, start, low, error))
    return FALSE;
  if (!kafka_partition_seek (lane->partition, start, error))
    return FALSE;
  trail_settle (service->lanes, lane);
  lane->worker.started = TRUE;
  g_autofree char *at = g_strdup_printf ("%" G_GINT64_FORMAT, start);
  g_autofree char *partition = g_strdup_printf ("%d", lane->number);
  log_debug ("Intake begins", "topic", lane->topic, "partition", partition, "offset", at);
  return TRUE;
}
