#include "kafka/writer.h"
#include <stdatomic.h>

#define PURGE_MS 500

struct _Writer {
  atomic_int refs;
  rd_kafka_t *rk;
  rd_kafka_queue_t *queue; /* for delivery reports and errors */
  pthread_mutex_t lock;
  GHashTable *topics; /* name -> rd_kafka_topic_t, under lock */
};

rd_kafka_conf_t *
writer_conf_new (const char *const *settings, GError **error)
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
  return kafka_conf_new (settings, wanted, fixed, error);
}

gboolean
writer_check (const char *const *settings, GError **error)
{
  rd_kafka_conf_t *conf = writer_conf_new (settings, error);
  rd_kafka_t *rk = conf != NULL ? kafka_client_new (RD_KAFKA_PRODUCER, conf, error) : NULL;
  if (rk != NULL)
    rd_kafka_destroy (rk);
  return rk != NULL;
}

Writer *
writer_new (const rd_kafka_conf_t *conf, GError **error)
{
  rd_kafka_t *rk = kafka_client_new (RD_KAFKA_PRODUCER, rd_kafka_conf_dup (conf), error);
  if (rk == NULL)
    return NULL;
  Writer *writer = g_new0 (Writer, 1);
  atomic_init (&writer->refs, 1);
  pthread_mutex_init (&writer->lock, NULL);
  writer->rk = rk;
  writer->queue = rd_kafka_queue_get_main (rk);
  writer->topics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify)rd_kafka_topic_destroy);
  return writer;
}

Writer *
writer_ref (Writer *writer)
{
  atomic_fetch_add (&writer->refs, 1);
  return writer;
}

void
writer_unref (Writer *writer)
{
  if (writer == NULL || atomic_fetch_sub (&writer->refs, 1) > 1)
    return;
  rd_kafka_queue_destroy (writer->queue);
  g_hash_table_destroy (writer->topics);
  rd_kafka_destroy (writer->rk);
  pthread_mutex_destroy (&writer->lock);
  g_free (writer);
}

rd_kafka_t *
writer_rk (Writer *writer)
{
  return writer->rk;
}

rd_kafka_topic_t *
writer_topic (Writer *writer, const char *name)
{
  pthread_mutex_lock (&writer->lock);
  rd_kafka_topic_t *topic = g_hash_table_lookup (writer->topics, name);
  if (topic == NULL) {
    topic = rd_kafka_topic_new (writer->rk, name, NULL);
    if (topic != NULL)
      g_hash_table_insert (writer->topics, g_strdup (name), topic);
  }
  pthread_mutex_unlock (&writer->lock);
  return topic;
}

void
writer_wake (Writer *writer)
{
  rd_kafka_queue_yield (writer->queue);
}

void
writer_drain (Writer *writer, int flush_ms)
{
  if (rd_kafka_flush (writer->rk, flush_ms) == RD_KAFKA_RESP_ERR_NO_ERROR)
    return;
  rd_kafka_purge (writer->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_flush (writer->rk, PURGE_MS);
}
