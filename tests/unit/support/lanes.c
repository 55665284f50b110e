#include "support/lanes.h"

#include "kafka/partition_private.h"

Lane *
lanes_with (Lanes *lanes, const char *topic, gint32 number, Job *job)
{
  const PartitionOwner owner = { 0 };
  KafkaPartition *partition = partition_new (&owner, NULL, topic, number);
  Lane *lane = lanes_add (lanes, partition, topic, number, job, FALSE);
  kafka_partition_unref (partition);
  return lane;
}
