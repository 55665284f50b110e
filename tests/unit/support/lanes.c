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

Lane *
lanes_given (Lanes *lanes, Pg *cancel)
{
  g_autoptr (GPtrArray) taken = lanes_take (lanes, FALSE, cancel);
  g_assert_cmpuint (taken->len, <=, 1);
  return taken->len > 0 ? taken->pdata[0] : NULL;
}
