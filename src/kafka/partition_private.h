/* For consumer.c and partition.c only: the life of a partition.
 *
 * Threads: poll, unless stated otherwise.
 */
#pragma once
#include "kafka/client.h"
#include "kafka/consumer.h"
#include "kafka/fetcher.h"
#include "kafka/trouble.h"

/* The parts of its consumer that a partition uses; the consumer outlives it. */
typedef struct {
  rd_kafka_t *rk;
  Trouble *trouble;
  Fetcher *fetcher;
} PartitionOwner;

/* QUEUE belongs to the consumer, which can destroy it after partition_end. */
KafkaPartition *partition_new (const PartitionOwner *owner, rd_kafka_queue_t *queue,
                               const char *topic, gint32 number);
/* From then on LANE is woken. */
void partition_begin (KafkaPartition *partition, gpointer lane, const KafkaHandlers *handlers,
                      gpointer data);
/* When it returns, no wake() is running, and none will. */
void partition_hush (KafkaPartition *partition);
/* When it returns, nothing is taken, sought or stored any more. */
void partition_end (KafkaPartition *partition);
gpointer partition_lane (KafkaPartition *partition);
