/* A batch of an assigned partition that could not be unpacked (unread.h).
 *
 * Threads: worker. Ownership: none.
 */
#pragma once
#include "kafka/partition.h"

/* Where the batch begins that was met when PARTITION was last taken from; nothing is taken from
 * behind it. -1: there is none, or it was told already; it is met again twice a second. */
gint64 kafka_partition_unread (KafkaPartition *partition);
