#include "mock.h"

Stage
stage_new (const char *topic, int partitions)
{
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_conf_set_log_cb (conf, NULL);
  rd_kafka_t *rk = rd_kafka_new (RD_KAFKA_PRODUCER, conf, NULL, 0);
  rd_kafka_mock_cluster_t *mock = rd_kafka_mock_cluster_new (rk, 1);
  g_assert_cmpint (rd_kafka_mock_topic_create (mock, topic, partitions, 1), ==, 0);
  return (Stage){ rk, mock, rd_kafka_mock_cluster_bootstraps (mock) };
}

void
stage_free (Stage *stage)
{
  rd_kafka_mock_cluster_destroy (stage->mock);
  rd_kafka_destroy (stage->rk);
}
