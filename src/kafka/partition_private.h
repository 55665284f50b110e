/* Between consumer.c and partition.c: how a partition comes to life and dies.
 *
 * Threads: poll, but where said.
 */
#pragma once
#include "kafka/client.h"
#include "kafka/consumer.h"
#include "kafka/trouble.h"

/* QUEUE, RK and TROUBLE are the consumer's; QUEUE may go after partition_end. */
KafkaPartition *partition_new (rd_kafka_t *rk, rd_kafka_queue_t *queue, Trouble *trouble,
                               const char *topic, gint32 number);
/* From here on LANE is woken. */
void partition_begin (KafkaPartition *partition, gpointer lane, const KafkaHandlers *handlers,
                      gpointer data);
/* No wake() runs any more when it returns. */
void partition_hush (KafkaPartition *partition);
/* Nothing is taken, sought or stored any more when it returns. */
void partition_end (KafkaPartition *partition);
gpointer partition_lane (KafkaPartition *partition);
