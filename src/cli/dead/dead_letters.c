#include "cli/dead/dead_letters.h"

#include "engine/clock/letters.h"

gint64
dead_letters_waiting (Cli *cli, Pg *pg, const GArray *offsets, GError **error)
{
  g_autofree char *topic = cli_topic (cli, "dead");
  g_autoptr (GArray) edges = g_array_new (FALSE, TRUE, sizeof (KafkaEdges)); /* by partition */
  gint64 n = 0;
  for (guint i = 0; i < offsets->len; i++) {
    const KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    if (!g_str_equal (offset->topic, topic))
      continue;
    if (offset->high < 0)
      return -1;
    n += offset->high - offset->low;
    if ((guint)offset->partition >= edges->len)
      g_array_set_size (edges, (guint)offset->partition + 1);
    g_array_index (edges, KafkaEdges, offset->partition)
        = (KafkaEdges){ offset->low, offset->high };
  }
  if (n == 0 || pg == NULL)
    return n == 0 ? 0 : -1;
  g_autoptr (PgRows) rows
      = letters_decided (pg, topic, (KafkaEdges *)edges->data, edges->len, error);
  return rows != NULL ? MAX (n - rows_int (rows, 0, "verdicts"), 0) : -1;
}
