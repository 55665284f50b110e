#include "kafka/producer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/thread.h"
#include "kafka/brokers.h"
#include "kafka/message_raw.h"
#include "kafka/reports.h"
#include "kafka/writer.h"
#include <stdatomic.h>

#define POLL_MS 1000
#define FLUSH_MS 2000
#define REPLACE_US G_USEC_PER_SEC
#define AGAIN_US (100 * 1000) /* between attempts, and when the local queue is full */

struct _KafkaProducer {
  rd_kafka_conf_t *conf; /* for the next writer */
  pthread_t acks;
  atomic_bool closing;
  Brokers *brokers;
  pthread_mutex_t lock;
  Writer *writer; /* under lock; only `kafka-acks` replaces it */
};

/* --- callbacks of librdkafka --- */

static void
on_report (rd_kafka_t *rk, const rd_kafka_message_t *raw, void *opaque)
{
  KafkaProducer *producer = opaque;
  if (raw->err == RD_KAFKA_RESP_ERR_NO_ERROR)
    brokers_answered (producer->brokers);
  report_note (raw->_private, raw);
}

static void
on_error (rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
  KafkaProducer *producer = opaque;
  brokers_failed (producer->brokers, err, reason);
}

static Writer *
writer_of (KafkaProducer *producer)
{
  pthread_mutex_lock (&producer->lock);
  Writer *writer = writer_ref (producer->writer);
  pthread_mutex_unlock (&producer->lock);
  return writer;
}

/* The messages of the old writer fail and are sent again by those who wait for them. */
static void
replace (KafkaProducer *producer, const GError *why)
{
  g_autoptr (GError) error = NULL;
  Writer *next = writer_new (producer->conf, &error);
  if (next == NULL) {
    log_warning_every (10, "producer", "Kafka producer cannot be replaced; will retry",
                       error->message);
    return;
  }
  log_warning_every (10, "producer", "Kafka producer failed and is replaced", why->message);
  pthread_mutex_lock (&producer->lock);
  Writer *old = producer->writer;
  producer->writer = next;
  pthread_mutex_unlock (&producer->lock);
  writer_drain (old, 0);
  writer_unref (old);
}

static void *
serve_acks (void *data)
{
  KafkaProducer *producer = data;
  gint64 next_us = 0; /* a broker that refuses each producer is not asked all the time */
  pthread_setname_np (pthread_self (), "kafka-acks");
  while (!atomic_load (&producer->closing)) {
    g_autoptr (GError) fatal = NULL;
    rd_kafka_t *rk = writer_rk (producer->writer);
    rd_kafka_poll (rk, POLL_MS);
    if (!atomic_load (&producer->closing))
      brokers_look (producer->brokers, rk, POLL_MS);
    if (clock_monotonic_us () >= next_us && kafka_is_fatal (rk, &fatal)) {
      replace (producer, fatal);
      next_us = clock_monotonic_us () + REPLACE_US;
    }
  }
  return NULL;
}

/* --- life --- */

/* Takes CONF. */
static KafkaProducer *
producer_of (rd_kafka_conf_t *conf, GError **error)
{
  KafkaProducer *producer = g_new0 (KafkaProducer, 1);
  pthread_mutex_init (&producer->lock, NULL);
  producer->brokers = brokers_new ();
  producer->conf = conf;
  rd_kafka_conf_set_opaque (conf, producer);
  rd_kafka_conf_set_dr_msg_cb (conf, on_report);
  rd_kafka_conf_set_error_cb (conf, on_error);
  producer->writer = writer_new (conf, error);
  if (producer->writer != NULL && thread_start (&producer->acks, serve_acks, producer, error))
    return producer;
  g_clear_pointer (&producer->writer, writer_unref);
  kafka_producer_free (producer);
  return NULL;
}

KafkaProducer *
kafka_producer_new (const char *const *settings, GError **error)
{
  rd_kafka_conf_t *conf = writer_conf_new (settings, error);
  return conf != NULL ? producer_of (conf, error) : NULL;
}

KafkaProducer *
kafka_producer_apart (const KafkaProducer *producer, GError **error)
{
  return producer_of (rd_kafka_conf_dup (producer->conf), error);
}

/* No report outlives the producer. */
static void
leave (KafkaProducer *producer)
{
  Writer *writer = writer_of (producer);
  writer_drain (writer, FLUSH_MS);
  atomic_store (&producer->closing, TRUE);
  writer_wake (writer);
  pthread_join (producer->acks, NULL);
  writer_unref (writer);
  writer_drain (producer->writer, 0); /* it may be a new one */
  writer_unref (producer->writer);
}

void
kafka_producer_free (KafkaProducer *producer)
{
  if (producer == NULL)
    return;
  if (producer->writer != NULL)
    leave (producer);
  rd_kafka_conf_destroy (producer->conf);
  brokers_free (producer->brokers);
  pthread_mutex_destroy (&producer->lock);
  g_free (producer);
}

gboolean
kafka_producer_is_up (KafkaProducer *producer)
{
  return brokers_are_up (producer->brokers);
}

/* --- publishing --- */

static rd_kafka_resp_err_t
produce (KafkaProducer *producer, Report *report)
{
  const KafkaMessage *message = report->message;
  g_autoptr (Writer) writer = writer_of (producer);
  rd_kafka_topic_t *topic = writer_topic (writer, message->topic);
  if (topic == NULL)
    return RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
  rd_kafka_headers_t *headers = kafka_message_raw_headers (message);
  rd_kafka_resp_err_t err = rd_kafka_producev (
      writer_rk (writer), RD_KAFKA_V_RKT (topic), RD_KAFKA_V_PARTITION (message->partition),
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
hand_over (KafkaProducer *producer, Report *report, const Patience *patience)
{
  rd_kafka_resp_err_t err;
  report_add_pending (report);
  for (;;) {
    err = produce (producer, report);
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
fail_hopeless (KafkaProducer *producer, const Report *failed, GError **error)
{
  g_autoptr (Writer) writer = writer_of (producer);
  g_autofree char *where = kafka_where (writer_rk (writer));
  kafka_set_error (error, failed->err, "%s: cannot write to topic %s", where,
                   failed->message->topic);
  if (error != NULL && failed->message->refused)
    (*error)->code = PRUNED_DATA;
}

static void
fail_overdue (KafkaProducer *producer, const Patience *patience, const Report *failed,
              guint missing, GError **error)
{
  g_autoptr (Writer) writer = writer_of (producer);
  g_autofree char *where = kafka_where (writer_rk (writer));
  g_autofree char *why = brokers_why_down (producer->brokers);
  brokers_suspect (producer->brokers);
  if (why == NULL && failed->reported)
    why = g_strdup (rd_kafka_err2str (failed->err));
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
               "%s: %u %s not acknowledged (the first: topic %s), %s%s%s", where, missing,
               plural (missing, "message", "messages"), failed->message->topic,
               patience_is_stopped (patience) ? "stopped waiting" : "timed out",
               why != NULL ? ": " : "", why != NULL ? why : "");
}

static void
hand_over_all (KafkaProducer *producer, Reports *reports, const Patience *patience)
{
  for (guint i = 0; i < reports_size (reports); i++)
    if (!hand_over (producer, reports_at (reports, i), patience))
      break;
}

/* Waits for the end of an attempt. TRUE: all are acknowledged. FALSE without error: try again. */
static gboolean
await (KafkaProducer *producer, Reports *reports, const Patience *patience, GError **error)
{
  reports_await (reports, patience);
  Report failed = { 0 };
  guint missing = reports_collect (reports, &failed);
  if (missing == 0)
    return TRUE;
  if (reports_is_hopeless (failed.err))
    fail_hopeless (producer, &failed, error);
  else if (patience_is_over (patience))
    fail_overdue (producer, patience, &failed, missing, error);
  return FALSE;
}

static gboolean
attempt (KafkaProducer *producer, GPtrArray *messages, const Patience *patience, GError **error)
{
  g_autoptr (Reports) reports = reports_new (messages);
  hand_over_all (producer, reports, patience);
  return await (producer, reports, patience, error);
}

/* REPORTS: of the first attempt, which is already under way; NULL: none. */
static gboolean
publish (KafkaProducer *producer, Reports *reports, GPtrArray *messages, int timeout_ms,
         const atomic_int *stop, GError **error)
{
  Patience patience = { G_MAXINT64, stop };
  if (timeout_ms >= 0)
    patience.deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  for (;;) {
    GError *failure = NULL;
    gboolean all = reports != NULL ? await (producer, reports, &patience, &failure)
                                   : attempt (producer, messages, &patience, &failure);
    reports = NULL;
    if (all)
      return TRUE;
    if (failure != NULL) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    const gint64 left_us = patience.deadline_us - clock_monotonic_us ();
    g_usleep ((gulong)CLAMP (left_us, 0, AGAIN_US));
  }
}

gboolean
kafka_publish (KafkaProducer *producer, GPtrArray *messages, int timeout_ms, const atomic_int *stop,
               GError **error)
{
  return publish (producer, NULL, messages, timeout_ms, stop, error);
}

KafkaSending *
kafka_publish_begin (KafkaProducer *producer, GPtrArray *messages, GDestroyNotify done,
                     gpointer data)
{
  Patience none
      = { 0, NULL }; /* no wait: kafka_publish_end sends what finds no room in the queue */
  Reports *reports = reports_new (messages);
  reports_on_done (reports, done, data);
  hand_over_all (producer, reports, &none);
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
kafka_publish_end (KafkaProducer *producer, KafkaSending *sending, GPtrArray *messages,
                   int timeout_ms, const atomic_int *stop, GError **error)
{
  gboolean all = publish (producer, sending, messages, timeout_ms, stop, error);
  kafka_sending_drop (sending);
  return all;
}

gboolean
kafka_producer_edges (KafkaProducer *producer, const char *topic, KafkaEdges *edges, guint n,
                      int timeout_ms)
{
  g_autoptr (Writer) writer = writer_of (producer);
  gint64 deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  guint i = 0;
  while (i < n
         && kafka_watermarks (writer_rk (writer), topic, (gint32)i, deadline_us, &edges[i].low,
                              &edges[i].high)
                == RD_KAFKA_RESP_ERR_NO_ERROR)
    i++;
  return i == n;
}

gint32
kafka_producer_partitions (KafkaProducer *producer, const char *topic, int timeout_ms)
{
  const struct rd_kafka_metadata *found = NULL;
  g_autoptr (Writer) writer = writer_of (producer);
  rd_kafka_topic_t *asked = writer_topic (writer, topic);
  gboolean known = asked != NULL
                   && rd_kafka_metadata (writer_rk (writer), 0, asked, &found, timeout_ms)
                          == RD_KAFKA_RESP_ERR_NO_ERROR;
  gint32 n = known && found->topic_cnt == 1 ? found->topics[0].partition_cnt : 0;
  g_clear_pointer (&found, rd_kafka_metadata_destroy);
  return n;
}
