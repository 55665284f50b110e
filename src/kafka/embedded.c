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
    return error_null (error, PRUNED_FATAL, "embedded Kafka cannot start");
  }
  KafkaEmbedded *embedded = g_new0 (KafkaEmbedded, 1);
  embedded->rk = rk;
  embedded->cluster = cluster;
  pthread_mutex_init (&embedded->lock, NULL);
  return embedded;
}

void
kafka_embedded_free (KafkaEmbedded *embedded)
{
  if (embedded == NULL)
    return;
  rd_kafka_mock_cluster_destroy (embedded->cluster);
  rd_kafka_destroy (embedded->rk);
  pthread_mutex_destroy (&embedded->lock);
  g_free (embedded);
}

const char *
kafka_embedded_bootstrap (KafkaEmbedded *embedded)
{
  return rd_kafka_mock_cluster_bootstraps (embedded->cluster);
}

gboolean
kafka_embedded_topic (KafkaEmbedded *embedded, const char *topic, gint32 partitions, GError **error)
{
  pthread_mutex_lock (&embedded->lock);
  rd_kafka_resp_err_t err = rd_kafka_mock_topic_create (embedded->cluster, topic, partitions, 1);
  g_usleep (APART_US);
  pthread_mutex_unlock (&embedded->lock);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR || err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
    return TRUE;
  return error_fatal (error, "embedded Kafka: cannot create topic %s: %s", topic,
                      rd_kafka_err2str (err));
}
