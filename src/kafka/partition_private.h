/* Between consumer.c and partition.c: how a partition comes to life and dies.
 *
 * Threads: poll, but where said.
 */
#pragma once
#include "kafka/client.h"
#include "kafka/consumer.h"
#include "kafka/fetcher.h"
#include "kafka/trouble.h"

/* What a partition uses of its consumer, which outlives it. */
typedef struct {
  rd_kafka_t *rk;
  Trouble *trouble;
  Fetcher *fetcher;
} PartitionOwner;

/* QUEUE is the consumer's, and may go after partition_end. */
KafkaPartition *partition_new (const PartitionOwner *owner, rd_kafka_queue_t *queue,
                               const char *topic, gint32 number);
/* From here on LANE is woken. */
void partition_begin (KafkaPartition *partition, gpointer lane, const KafkaHandlers *handlers,
                      gpointer data);
/* No wake() runs any more when it returns. */
void partition_hush (KafkaPartition *partition);
/* Nothing is taken, sought or stored any more when it returns. */
void partition_end (KafkaPartition *partition);
gpointer partition_lane (KafkaPartition *partition);
