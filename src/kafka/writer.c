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

Writer *
writer_new (const rd_kafka_conf_t *conf, GError **error)
{
  rd_kafka_t *rk = kafka_client_new (RD_KAFKA_PRODUCER, rd_kafka_conf_dup (conf), error);
  if (rk == NULL)
    return NULL;
  Writer *self = g_new0 (Writer, 1);
  atomic_init (&self->refs, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->rk = rk;
  self->queue = rd_kafka_queue_get_main (rk);
  self->topics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify)rd_kafka_topic_destroy);
  return self;
}

Writer *
writer_ref (Writer *self)
{
  atomic_fetch_add (&self->refs, 1);
  return self;
}

void
writer_unref (Writer *self)
{
  if (self == NULL || atomic_fetch_sub (&self->refs, 1) > 1)
    return;
  rd_kafka_queue_destroy (self->queue);
  g_hash_table_destroy (self->topics);
  rd_kafka_destroy (self->rk);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

rd_kafka_t *
writer_rk (Writer *self)
{
  return self->rk;
}

rd_kafka_topic_t *
writer_topic (Writer *self, const char *name)
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

void
writer_wake (Writer *self)
{
  rd_kafka_queue_yield (self->queue);
}

void
writer_drain (Writer *self, int flush_ms)
{
  if (rd_kafka_flush (self->rk, flush_ms) == RD_KAFKA_RESP_ERR_NO_ERROR)
    return;
  rd_kafka_purge (self->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_flush (self->rk, PURGE_MS);
}
