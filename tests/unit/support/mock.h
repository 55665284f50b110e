/* A mock cluster of a test's own, whose failures the test makes by librdkafka's own functions.
 *
 * Threads: the test's own. Ownership: stage_free.
 */
#pragma once
#include "support/cluster.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

typedef struct {
  rd_kafka_t *rk;
  rd_kafka_mock_cluster_t *mock;
  const char *bootstrap;
} Stage;

/* With one topic and one broker. */
Stage stage_new (const char *topic, int partitions);
void stage_free (Stage *stage);
