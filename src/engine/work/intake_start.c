#include "engine/work/intake.h"
#include "engine/work/lost.h"

#define SQL "src/engine/work/sql/"

/* Is the message before OFFSET another one than the last we took? Then the topic was made anew. */
static gboolean
is_remade (Service *service, const Lane *lane, gint64 low, gint64 high, gboolean *remade, GError **error)
{
  *remade = lane->mine > high;
  if (*remade || lane->mine - 1 < low)
    return TRUE;
  gint64 timestamp_ms = 0;
  GError *cause = NULL;
  gboolean found = kafka_message_timestamp (service->kafka_settings, lane->topic, lane->number, lane->mine - 1,
                                            &timestamp_ms, &cause);
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  *remade = found && lane->mine_last_ms != 0 && timestamp_ms != lane->mine_last_ms;
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

/* The first assignment of all: where it begins is remembered before there is a message. */
static gboolean
plant (Service *service, Pg *pg, Lane *lane, gint64 start, gint64 low, GError **error)
{
  gint64 last_ms = 0;
  GError *cause = NULL;
  if (start > low && !kafka_message_timestamp (service->kafka_settings, lane->topic, lane->number, start - 1, &last_ms, &cause))
    {
      if (cause != NULL)
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      last_ms = 0; /* not there any more */
    }
  g_autoptr (PgValues) values = values_of (service, lane);
  pg_values_int (values, "next", start);
  if (last_ms != 0)
    pg_values_int (values, "last_ms", last_ms);
  else
    pg_values_set (values, "last_ms", NULL);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "intake_plant.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) == 0)
    {
      g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s [%d]: another process begins there, too", lane->topic, lane->number);
      return FALSE;
    }
  __atomic_store_n (&lane->mine_last_ms, last_ms, __ATOMIC_RELEASE);
  __atomic_store_n (&lane->mine, start, __ATOMIC_RELEASE);
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
  __atomic_store_n (&lane->mine_last_ms, dated ? rows_int (rows, 0, "last_ms") : 0, __ATOMIC_RELEASE);
  __atomic_store_n (&lane->mine, rows_count (rows) > 0 ? rows_int (rows, 0, "next_offset") : -1, __ATOMIC_RELEASE);
  return TRUE;
}

/* What is known to come next is not there any more: said once, and the place moves on with it, for nothing may ever come to move it. */
static gboolean
pass_over_lost (Service *service, Pg *pg, Lane *lane, gint64 expected, gint64 low, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_int (values, "next", low);
  pg_values_int (values, "last_ms", lane->mine_last_ms);
  pg_values_int (values, "mine", lane->mine);
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) moved = lost_note (service, pg, lane, expected, low, error) ? pg_run_file (pg, SQL "intake_advance.sql", values, error) : NULL;
  if (moved != NULL && rows_count (moved) == 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s [%d]: another process has moved on", lane->topic, lane->number);
  if (moved == NULL || rows_count (moved) == 0 || !pg_commit (pg, error))
    {
      pg_rollback (pg);
      return FALSE;
    }
  __atomic_store_n (&lane->mine, low, __ATOMIC_RELEASE);
  lost_say (lane, expected, low);
  return TRUE;
}

gboolean
intake_start (Service *service, Pg *pg, Lane *lane, GError **error)
{
  gint64 committed, low, high;
  gboolean remade = FALSE;
  if (!read_mine (service, pg, lane, error)
      || !kafka_partition_committed (lane->partition, 5000, &committed, error)
      || !kafka_partition_watermarks (lane->partition, 5000, &low, &high, error)
      || (lane->mine >= 0 && !is_remade (service, lane, low, high, &remade, error)))
    return FALSE;
  gint64 expected = lane->mine < 0 ? committed : lane->mine;
  if (!remade && expected >= 0 && expected < low && !pass_over_lost (service, pg, lane, expected, low, error))
    return FALSE;
  gint64 start = lane->mine < 0 ? committed : committed < 0 ? lane->mine : MIN (lane->mine, committed);
  if (remade || start < low || start > high)
    start = low;
  lane->remade = remade;
  if (lane->mine < 0 && !plant (service, pg, lane, start, low, error))
    return FALSE;
  if (!kafka_partition_seek (lane->partition, start, error))
    return FALSE;
  lane->started = TRUE;
  g_autofree char *at = g_strdup_printf ("%" G_GINT64_FORMAT, start);
  g_autofree char *partition = g_strdup_printf ("%d", lane->number);
  log_debug ("Intake begins", "topic", lane->topic, "partition", partition, "offset", at);
  return TRUE;
}
