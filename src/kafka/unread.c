#include "kafka/unread.h"

#include "base/clock.h"
#include "kafka/client.h"
#include "kafka/unpack.h"

#define READ_MS 10000
#define READABLE (-1)

/* A consumer without a group, for one partition. */
typedef struct {
  rd_kafka_t *rk;
  rd_kafka_topic_t *topic;
  const char *name;
  gint32 partition;
} Probe;

static void
probe_clear (Probe *probe)
{
  if (probe->topic != NULL)
    rd_kafka_topic_destroy (probe->topic);
  if (probe->rk != NULL)
    rd_kafka_destroy (probe->rk);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Probe, probe_clear)

static gboolean
probe_open (Probe *probe, const char *const *settings, GError **error)
{
  /* One byte: Kafka then sends the batch that has the offset, and no other. */
  static const char *const wanted[] = { "allow.auto.create.topics",
                                        "false",
                                        "fetch.message.max.bytes",
                                        "1",
                                        "fetch.wait.max.ms",
                                        "10",
                                        "fetch.error.backoff.ms",
                                        "10",
                                        NULL };
  static const char *const fixed[] = { "enable.partition.eof", "true", NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, fixed, error);
  if (conf == NULL)
    return FALSE;
  rd_kafka_conf_set (conf, "auto.offset.reset", "error", NULL, 0);
  probe->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  probe->topic = probe->rk != NULL ? rd_kafka_topic_new (probe->rk, probe->name, NULL) : NULL;
  return probe->topic != NULL;
}

static gboolean
fail (const Probe *probe, rd_kafka_resp_err_t err, GError **error)
{
  g_autofree char *where = kafka_where (probe->rk);
  kafka_set_error (error, err, "%s: cannot read topic %s, partition %d", where, probe->name,
                   probe->partition);
  return FALSE;
}

/* *FIRST: where the batch begins that has OFFSET, if it cannot be unpacked; else READABLE. */
static gboolean
probe_at (const Probe *probe, gint64 offset, gint64 *first, GError **error)
{
  rd_kafka_queue_t *queue = rd_kafka_queue_new (probe->rk);
  rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR__TIMED_OUT;
  *first = READABLE;
  if (rd_kafka_consume_start_queue (probe->topic, probe->partition, offset, queue) != 0)
    err = rd_kafka_last_error ();
  else {
    rd_kafka_message_t *raw = rd_kafka_consume_queue (queue, READ_MS);
    if (raw != NULL) {
      err = raw->err;
      if (err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION)
        *first = raw->offset;
      rd_kafka_message_destroy (raw);
    }
    rd_kafka_consume_stop (probe->topic, probe->partition);
  }
  rd_kafka_queue_destroy (queue);
  return err == RD_KAFKA_RESP_ERR_NO_ERROR || err == RD_KAFKA_RESP_ERR__PARTITION_EOF
                 || err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION
             ? TRUE
             : fail (probe, err, error);
}

/* *TO: the first offset behind the batch that begins at FIRST and has FROM, HIGH at most. Goes on
 * in growing steps, then halves the last one. */
static gboolean
find_end (const Probe *probe, gint64 first, gint64 from, gint64 high, gint64 *to, GError **error)
{
  gint64 inside = from, behind = high, found;
  for (gint64 step = 1; behind - inside > 1; step *= 2) {
    const gint64 at
        = step < behind - inside && behind == high ? inside + step : inside + (behind - inside) / 2;
    if (!probe_at (probe, at, &found, error))
      return FALSE;
    if (found == first)
      inside = at;
    else
      behind = at;
  }
  *to = behind;
  return TRUE;
}

static gboolean
look (const Probe *probe, gint64 first, KafkaStretch *out, GError **error)
{
  gint64 low = 0, high = 0, found;
  rd_kafka_resp_err_t err
      = kafka_watermarks (probe->rk, probe->name, probe->partition,
                          clock_monotonic_us () + (gint64)READ_MS * 1000, &low, &high);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
    return fail (probe, err, error);
  out->from = out->to = MAX (first, low);
  if (out->from >= high || out->from < 0)
    return TRUE;
  if (!probe_at (probe, out->from, &found, error))
    return FALSE;
  return found == READABLE || find_end (probe, found, out->from, high, &out->to, error);
}

gboolean
kafka_unread_batch (const char *const *settings, const char *topic, gint32 partition, gint64 first,
                    KafkaStretch *out, GError **error)
{
  const guint refused = unpack_refused_for_now ();
  g_auto (Probe) probe = { .name = topic, .partition = partition };
  *out = (KafkaStretch){ partition, first, first };
  if (!probe_open (&probe, settings, error) || !look (&probe, first, out, error))
    return FALSE;
  if (unpack_refused_for_now () == refused)
    return TRUE;
  return error_set (error, PRUNED_OUTAGE,
                    "topic %s, partition %d: a compressed batch waits for memory", topic,
                    partition);
}
