#include "kafka/offsets.h"
#include "base/clock.h"
#include "kafka/client.h"

#define SHARE                                                                                      \
  3 /* one partition uses at most 1/SHARE of the time left while other topics follow               \
     */

typedef struct {
  rd_kafka_t *rk;
  rd_kafka_topic_partition_list_t *list;
  gint64 deadline_us;
} Look;

static void
look_clear (Look *look)
{
  if (look->list != NULL)
    rd_kafka_topic_partition_list_destroy (look->list);
  if (look->rk != NULL)
    rd_kafka_destroy (look->rk);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Look, look_clear)

static int
left_ms (const Look *look)
{
  return (int)MAX ((look->deadline_us - clock_monotonic_us ()) / 1000, 0);
}

static gboolean
look_open (Look *look, const char *const *settings, const char *group, GError **error)
{
  const char *const wanted[]
      = { "allow.auto.create.topics", "false", group != NULL ? "group.id" : NULL, group, NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, NULL, error);
  if (conf == NULL)
    return FALSE;
  look->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  return look->rk != NULL;
}

static gint64
until_us (const Look *look, gboolean others)
{
  gint64 now_us = clock_monotonic_us ();
  return now_us + MAX (look->deadline_us - now_us, 0) / (others ? SHARE : 1);
}

/* A partition without a leader must not keep other topics from being read: it gets only a part of
 * the time, and the rest of its topic is skipped. */
static void
fill_watermarks (const Look *look, GArray *offsets, char **unread)
{
  const char *silent = NULL,
             *last = offsets->len > 0 ? g_array_index (offsets, KafkaOffset, offsets->len - 1).topic
                                      : NULL;
  for (guint i = 0; i < offsets->len; i++) {
    KafkaOffset *offset = &g_array_index (offsets, KafkaOffset, i);
    if (offset->topic == silent)
      continue;
    rd_kafka_resp_err_t err
        = kafka_watermarks (look->rk, offset->topic, offset->partition,
                            until_us (look, offset->topic != last), &offset->low, &offset->high);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
      continue;
    silent = offset->topic;
    offset->low = offset->high = -1;
    if (*unread == NULL)
      *unread = g_strdup_printf ("cannot read %s [%d]: %s", offset->topic, offset->partition,
                                 rd_kafka_err2str (err));
  }
}

static gboolean
fill_committed (Look *look, GArray *offsets, GError **error)
{
  rd_kafka_resp_err_t err = rd_kafka_committed (look->rk, look->list, left_ms (look));
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    g_autofree char *where = kafka_where (look->rk);
    kafka_set_error (error, err, "%s: cannot read what the group has committed", where);
    return FALSE;
  }
  for (guint i = 0; i < offsets->len; i++) {
    gint64 committed = look->list->elems[i].offset;
    g_array_index (offsets, KafkaOffset, i).next = committed >= 0 ? committed : -1;
  }
  return TRUE;
}

GArray *
kafka_offsets (const char *const *settings, const char *group, const KafkaTopic *topics, guint n,
               int timeout_ms, char **unread, GError **error)
{
  *unread = NULL;
  g_auto (Look) look = { .deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000,
                         .list = rd_kafka_topic_partition_list_new ((int)n) };
  if (!look_open (&look, settings, group, error))
    return NULL;
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (KafkaOffset));
  for (guint i = 0; i < n; i++)
    for (gint32 partition = 0; partition < topics[i].partitions; partition++) {
      KafkaOffset offset = { topics[i].name, partition, -1, -1, -1 };
      g_array_append_val (offsets, offset);
      rd_kafka_topic_partition_list_add (look.list, topics[i].name, partition);
    }
  if (group != NULL && offsets->len > 0 && !fill_committed (&look, offsets, error))
    return NULL;
  fill_watermarks (&look, offsets, unread);
  return g_steal_pointer (&offsets);
}
