#include "kafka/producer.h"
#include "base/clock.h"
#include "kafka/reports.h"
#include "kafka/brokers.h"
#include <stdatomic.h>

#define POLL_MS 1000
#define FLUSH_MS 2000
#define PURGE_MS 500
#define AGAIN_US (100 * 1000) /* between attempts, and when the local queue is full */

struct _KafkaProducer {
  rd_kafka_t *rk;
  rd_kafka_queue_t *queue; /* for delivery reports and errors */
  pthread_t acks;
  atomic_bool closing;
  Brokers *brokers;
  pthread_mutex_t lock;
  GHashTable *topics; /* name -> rd_kafka_topic_t, under lock */
};

/* --- callbacks of librdkafka --- */

static void
on_report (rd_kafka_t *rk, const rd_kafka_message_t *raw, void *opaque)
{
  KafkaProducer *self = opaque;
  if (raw->err == RD_KAFKA_RESP_ERR_NO_ERROR)
    brokers_answered (self->brokers);
  report_note (raw->_private, raw);
}

static void
on_error (rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
  KafkaProducer *self = opaque;
  brokers_failed (self->brokers, err, reason);
}

static void *
serve_acks (void *data)
{
  KafkaProducer *self = data;
  pthread_setname_np (pthread_self (), "kafka-acks");
  while (!atomic_load (&self->closing)) {
    rd_kafka_poll (self->rk, POLL_MS);
    if (!atomic_load (&self->closing))
      brokers_look (self->brokers, self->rk, POLL_MS);
  }
  return NULL;
}

/* --- life --- */

KafkaProducer *
kafka_producer_new (const char *const *settings, GError **error)
{
  static const char *const wanted[]
      = { "linger.ms",
          "0",
          "message.timeout.ms",
          "30000",
          "queue.buffering.max.kbytes",
          "16384",
          "message.max.bytes",
          "10485760", /* the broker decides what is too large */
          "batch.size",
          "60000", /* small, so that a small fetch gets whole batches */
          "partitioner",
          "murmur2_random", /* as in Java clients: the same key, the same partition */
          "topic.metadata.refresh.interval.ms",
          "5000",
          "topic.metadata.propagation.max.ms",
          "1000",
          NULL };
  static const char *const fixed[]
      = { "enable.idempotence", "true", "request.required.acks", "-1", NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, fixed, error);
  if (conf == NULL)
    return NULL;
  KafkaProducer *self = g_new0 (KafkaProducer, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->brokers = brokers_new ();
  self->topics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify)rd_kafka_topic_destroy);
  rd_kafka_conf_set_opaque (conf, self);
  rd_kafka_conf_set_dr_msg_cb (conf, on_report);
  rd_kafka_conf_set_error_cb (conf, on_error);
  self->rk = kafka_client_new (RD_KAFKA_PRODUCER, conf, error);
  if (self->rk == NULL) {
    kafka_producer_free (self);
    return NULL;
  }
  self->queue = rd_kafka_queue_get_main (self->rk);
  int failed = pthread_create (&self->acks, NULL, serve_acks, self);
  g_assert (failed == 0);
  return self;
}

/* Waits for the messages in flight; reports the rest as purged, so that none of Reports outlives
 * the producer. */
static void
drain (KafkaProducer *self)
{
  if (rd_kafka_flush (self->rk, FLUSH_MS) == RD_KAFKA_RESP_ERR_NO_ERROR)
    return;
  rd_kafka_purge (self->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_flush (self->rk, PURGE_MS);
}

void
kafka_producer_free (KafkaProducer *self)
{
  if (self == NULL)
    return;
  if (self->rk != NULL) {
    drain (self);
    atomic_store (&self->closing, TRUE);
    rd_kafka_queue_yield (self->queue);
    pthread_join (self->acks, NULL);
    rd_kafka_queue_destroy (self->queue);
  }
  g_hash_table_destroy (self->topics);
  if (self->rk != NULL)
    rd_kafka_destroy (self->rk);
  brokers_free (self->brokers);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

gboolean
kafka_producer_is_up (KafkaProducer *self)
{
  return brokers_are_up (self->brokers);
}

/* --- publishing --- */

static rd_kafka_topic_t *
topic_of (KafkaProducer *self, const char *name)
{
  pthread_mutex_lock (&self->lock);
  rd_kafka_topic_t *topic = g_hash_table_lookup (self->topics, name);
  if (topic == NULL) {
    topic = rd_kafka_topic_new (self->rk, name, NULL);
    if (topic != NULL)
      g_hash_table_insert (self->topics, g_strdup (name), topic);
  }
  pthread_mutex_unlock (&self->lock);
  return topic;
}

static rd_kafka_resp_err_t
produce (KafkaProducer *self, rd_kafka_topic_t *topic, Report *report)
{
  const KafkaMessage *message = report->message;
  rd_kafka_headers_t *headers = kafka_message_raw_headers (message);
  rd_kafka_resp_err_t err = rd_kafka_producev (
      self->rk, RD_KAFKA_V_RKT (topic), RD_KAFKA_V_PARTITION (message->partition),
      RD_KAFKA_V_MSGFLAGS (RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY (message->key, message->key_len),
      RD_KAFKA_V_VALUE (message->value, message->value_len), RD_KAFKA_V_HEADERS (headers),
      RD_KAFKA_V_TIMESTAMP (MAX (message->timestamp_ms, 0)), RD_KAFKA_V_OPAQUE (report),
      RD_KAFKA_V_END);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR && headers != NULL)
    rd_kafka_headers_destroy (headers);
  return err;
}

/* Puts a message into librdkafka's queue; a refusal becomes its report. FALSE: the queue stayed
 * full. */
static gboolean
hand_over (KafkaProducer *self, Report *report, const Patience *patience)
{
  rd_kafka_topic_t *topic = topic_of (self, report->message->topic);
  rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
  report_add_pending (report);
  while (topic != NULL) {
    err = produce (self, topic, report);
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
      return TRUE;
    if (err != RD_KAFKA_RESP_ERR__QUEUE_FULL || patience_is_over (patience))
      break;
    reports_pause (report->of, patience, AGAIN_US);
  }
  report_refused (report, err);
  return err != RD_KAFKA_RESP_ERR__QUEUE_FULL;
}

static void
fail_hopeless (KafkaProducer *self, const Report *failed, GError **error)
{
  if (kafka_verdict (failed->err) == PRUNED_FATAL && kafka_is_fatal (self->rk, error))
    return;
  g_autofree char *where = kafka_where (self->rk);
  kafka_set_error (error, failed->err, "%s: cannot write to topic %s", where,
                   failed->message->topic);
}

static void
fail_overdue (KafkaProducer *self, const Patience *patience, const Report *failed, guint missing,
              GError **error)
{
  g_autofree char *where = kafka_where (self->rk);
  g_autofree char *why = brokers_why_down (self->brokers);
  brokers_suspect (self->brokers);
  if (why == NULL && failed->reported)
    why = g_strdup (rd_kafka_err2str (failed->err));
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
               "%s: %u messages not acknowledged (the first: topic %s), %s%s%s", where, missing,
               failed->message->topic,
               patience_is_stopped (patience) ? "stopped waiting" : "timed out",
               why != NULL ? ": " : "", why != NULL ? why : "");
}

static void
hand_over_all (KafkaProducer *self, Reports *reports, const Patience *patience)
{
  for (guint i = 0; i < reports_size (reports); i++)
    if (!hand_over (self, reports_at (reports, i), patience))
      break;
}

/* Waits for the end of an attempt. TRUE: all are acknowledged. FALSE without error: try again. */
static gboolean
await (KafkaProducer *self, Reports *reports, const Patience *patience, GError **error)
{
  reports_await (reports, patience);
  Report failed = { 0 };
  guint missing = reports_collect (reports, &failed);
  if (missing == 0)
    return TRUE;
  if (reports_is_hopeless (failed.err))
    fail_hopeless (self, &failed, error);
  else if (patience_is_over (patience))
    fail_overdue (self, patience, &failed, missing, error);
  return FALSE;
}

static gboolean
attempt (KafkaProducer *self, GPtrArray *messages, const Patience *patience, GError **error)
{
  g_autoptr (Reports) reports = reports_new (messages);
  hand_over_all (self, reports, patience);
  return await (self, reports, patience, error);
}

static void
pause_between_attempts (const Patience *patience)
{
  gint64 left_us = patience->deadline_us - clock_monotonic_us ();
  if (left_us > 0)
    g_usleep (MIN (left_us, AGAIN_US));
}

/* REPORTS: of the first attempt, which is already under way; NULL: none. */
static gboolean
publish (KafkaProducer *self, Reports *reports, GPtrArray *messages, int timeout_ms,
         const atomic_int *stop, GError **error)
{
  Patience patience = { G_MAXINT64, stop };
  if (timeout_ms >= 0)
    patience.deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  for (;;) {
    GError *failure = NULL;
    gboolean all = reports != NULL ? await (self, reports, &patience, &failure)
                                   : attempt (self, messages, &patience, &failure);
    reports = NULL;
    if (all)
      return TRUE;
    if (failure != NULL) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    pause_between_attempts (&patience);
  }
}

gboolean
kafka_publish (KafkaProducer *self, GPtrArray *messages, int timeout_ms, const atomic_int *stop,
               GError **error)
{
  return publish (self, NULL, messages, timeout_ms, stop, error);
}

KafkaSending *
kafka_publish_begin (KafkaProducer *self, GPtrArray *messages, GDestroyNotify done, gpointer data)
{
  Patience none
      = { 0, NULL }; /* no wait: kafka_publish_end sends what finds no room in the queue */
  Reports *reports = reports_new (messages);
  reports_on_done (reports, done, data);
  hand_over_all (self, reports, &none);
  reports_all_sent (reports);
  return reports;
}

void
kafka_sending_drop (KafkaSending *sending)
{
  if (sending == NULL)
    return;
  reports_forget_done (sending);
  reports_unref (sending);
}

gboolean
kafka_publish_end (KafkaProducer *self, KafkaSending *sending, GPtrArray *messages, int timeout_ms,
                   const atomic_int *stop, GError **error)
{
  gboolean all = publish (self, sending, messages, timeout_ms, stop, error);
  kafka_sending_drop (sending);
  return all;
}

gboolean
kafka_producer_edges (KafkaProducer *self, const char *topic, KafkaEdges *edges, guint n,
                      int timeout_ms)
{
  gint64 deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  guint i = 0;
  while (
      i < n
      && kafka_watermarks (self->rk, topic, (gint32)i, deadline_us, &edges[i].low, &edges[i].high)
             == RD_KAFKA_RESP_ERR_NO_ERROR)
    i++;
  return i == n;
}

gint32
kafka_producer_partitions (KafkaProducer *self, const char *topic, int timeout_ms)
{
  const struct rd_kafka_metadata *found = NULL;
  rd_kafka_topic_t *asked = topic_of (self, topic);
  gboolean known
      = asked != NULL
        && rd_kafka_metadata (self->rk, 0, asked, &found, timeout_ms) == RD_KAFKA_RESP_ERR_NO_ERROR;
  gint32 n = known && found->topic_cnt == 1 ? found->topics[0].partition_cnt : 0;
  g_clear_pointer (&found, rd_kafka_metadata_destroy);
  return n;
}
