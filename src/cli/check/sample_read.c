#include "cli/check/sample_read.h"

#include "kafka/admin.h"
#include "kafka/offsets.h"

#define WITHIN_MS 30000

typedef struct {
  KafkaVisit visit;
  gpointer data;
  gboolean stopped;
} Reading;

static gboolean
take (const KafkaMessage *message, gpointer data)
{
  Reading *reading = data;
  reading->stopped = !reading->visit (message, reading->data);
  return !reading->stopped;
}

static int
smaller_first (gconstpointer a, gconstpointer b)
{
  const KafkaOffset *left = a, *right = b;
  gint64 n = left->high - left->low, m = right->high - right->low;
  return (n > m) - (n < m);
}

static gboolean
read_partitions (Reading *reading, const char *const *settings, GArray *offsets, gint64 left,
                 GError **error)
{
  g_array_sort (offsets, smaller_first);
  for (guint i = 0; i < offsets->len && !reading->stopped; i++) {
    const KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    gint64 share = MIN (offset->high - offset->low, left / (gint64)(offsets->len - i));
    KafkaStretch stretch
        = { .partition = offset->partition, .from = offset->high - share, .to = offset->high };
    left -= share;
    if (share > 0
        && !kafka_read_stretch (settings, offset->topic, &stretch, WITHIN_MS,
                                &(KafkaVisitor){ .visit = take, .data = reading }, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
sample_read (Cli *cli, const char *name, gint64 wanted, KafkaVisit visit, gpointer data,
             GError **error)
{
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  if (settings == NULL)
    return FALSE;
  const char *const *pairs = (const char *const *)settings;
  Reading reading = { visit, data, FALSE };
  KafkaTopic topic = { .name = (char *)name };
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (pairs, error);
  g_autofree char *unread = NULL;
  if (admin == NULL || !kafka_admin_look (admin, &topic, 1, WITHIN_MS, error))
    return FALSE;
  if (topic.partitions < 0)
    return error_set (error, PRUNED_OUTAGE, "there is no topic %s", name);
  const char *group = config_text (cli->config, "topics", "prefix");
  g_autoptr (GArray) offsets = kafka_offsets (pairs, group, &topic, 1, WITHIN_MS, &unread, error);
  if (offsets == NULL)
    return FALSE;
  if (unread == NULL)
    return read_partitions (&reading, pairs, offsets, wanted, error);
  return error_set (error, PRUNED_OUTAGE, "%s", unread);
}
