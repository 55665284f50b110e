#include "cli/dead_letters.h"

static PgRows *
ask_verdicts (Pg *pg, const char *topic, const GArray *offsets, GError **error)
{
  GString *partitions = array_new (), *lows = array_new (), *highs = array_new ();
  for (guint i = 0; i < offsets->len; i++) {
    const KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    if (g_str_equal (offset->topic, topic) && offset->high >= 0) {
      array_add_int (partitions, offset->partition);
      array_add_int (lows, offset->low);
      array_add_int (highs, offset->high);
    }
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "topic", topic);
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "low", array_take (lows));
  pg_values_take (values, "high", array_take (highs));
  return pg_run_file (pg, "src/engine/clock/sql/letters_decided.sql", values, error);
}

gint64
dead_letters_waiting (Cli *cli, Pg *pg, const GArray *offsets, GError **error)
{
  g_autofree char *topic = cli_topic (cli, "dead");
  gint64 n = 0;
  for (guint i = 0; i < offsets->len; i++) {
    const KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    if (!g_str_equal (offset->topic, topic))
      continue;
    if (offset->high < 0)
      return -1;
    n += offset->high - offset->low;
  }
  if (n == 0 || pg == NULL)
    return n == 0 ? 0 : -1;
  g_autoptr (PgRows) rows = ask_verdicts (pg, topic, offsets, error);
  return rows != NULL ? MAX (n - rows_int (rows, 0, "verdicts"), 0) : -1;
}
