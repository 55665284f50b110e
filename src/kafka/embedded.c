#include "kafka/embedded.h"
#include "kafka/client.h"
#include <librdkafka/rdkafka_mock.h>

#define APART_US (2 * 1000) /* the mock cluster fails if topics are created without a pause */

struct _KafkaEmbedded {
  rd_kafka_t *rk; /* the client whose threads run the broker; it connects to nothing */
  rd_kafka_mock_cluster_t *cluster;
  pthread_mutex_t lock; /* held while a topic is created */
};

KafkaEmbedded *
kafka_embedded_new (GError **error)
{
  rd_kafka_conf_t *conf = kafka_conf_new (NULL, NULL, NULL, error);
  if (conf == NULL)
    return NULL;
  rd_kafka_t *rk = kafka_client_new (RD_KAFKA_PRODUCER, conf, error);
  if (rk == NULL)
    return NULL;
  rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new (rk, 1);
  if (cluster == NULL) {
    rd_kafka_destroy (rk);
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "embedded Kafka cannot start");
    return NULL;
  }
  KafkaEmbedded *self = g_new0 (KafkaEmbedded, 1);
  self->rk = rk;
  self->cluster = cluster;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
kafka_embedded_free (KafkaEmbedded *self)
{
  if (self == NULL)
    return;
  rd_kafka_mock_cluster_destroy (self->cluster);
  rd_kafka_destroy (self->rk);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

const char *
kafka_embedded_bootstrap (KafkaEmbedded *self)
{
  return rd_kafka_mock_cluster_bootstraps (self->cluster);
}

gboolean
kafka_embedded_topic (KafkaEmbedded *self, const char *topic, gint32 partitions, GError **error)
{
  pthread_mutex_lock (&self->lock);
  rd_kafka_resp_err_t err = rd_kafka_mock_topic_create (self->cluster, topic, partitions, 1);
  g_usleep (APART_US);
  pthread_mutex_unlock (&self->lock);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR || err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
    return TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "embedded Kafka: cannot create topic %s: %s",
               topic, rd_kafka_err2str (err));
  return FALSE;
}
