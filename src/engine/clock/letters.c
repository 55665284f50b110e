#include "engine/clock/letters.h"

#include "engine/outbox/dead.h"
#include "engine/outbox/publish.h"

#include <stdatomic.h>

#define PATIENCE_MS 500

static _Atomic gint64 waiting = -1;

gint64
letters_waiting (void)
{
  return waiting;
}

PgRows *
letters_decided (Pg *pg, const char *topic, const KafkaEdges *edges, guint n, GError **error)
{
  GString *partitions = array_new (), *lows = array_new (), *highs = array_new ();
  for (guint i = 0; i < n; i++) {
    array_add_int (partitions, i);
    array_add_int (lows, edges[i].low);
    array_add_int (highs, edges[i].high);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "topic", topic);
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "low", array_take (lows));
  pg_values_take (values, "high", array_take (highs));
  return pg_run_file (pg, "src/engine/clock/sql/letters_decided.sql", values, error);
}

static gboolean
count (Service *service, Pg *pg, GError **error)
{
  guint n = (guint)service->dead_partitions;
  gint64 there = 0;
  g_autofree char *topic = g_strconcat (service->prefix, ".dead", NULL);
  g_autofree KafkaEdges *edges = g_new0 (KafkaEdges, n);
  waiting = -1;
  if (!kafka_producer_is_up (service->producer)
      || !kafka_producer_edges (service->producer, topic, edges, n, PATIENCE_MS))
    return TRUE;
  for (guint i = 0; i < n; i++)
    there += edges[i].high - edges[i].low;
  g_autoptr (PgRows) decided = there > 0 ? letters_decided (pg, topic, edges, n, error) : NULL;
  if (there > 0 && decided == NULL)
    return FALSE;
  waiting = there > 0 ? MAX (there - rows_int (decided, 0, "verdicts"), 0) : 0;
  return TRUE;
}

gboolean
letters_look (Service *service, Pg *pg, GError **error)
{
  static gboolean looked; /* of housekeeping */
  gboolean anew = FALSE;
  if (!looked && !dead_letters_look (service, pg, &anew, error))
    return FALSE;
  looked = TRUE;
  if (*config_text (service->config, "http", "listen") == '\0' || service->dead_partitions <= 0)
    return TRUE;
  return count (service, pg, error);
}
