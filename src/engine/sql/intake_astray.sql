-- Partitions of which PostgreSQL knows less than it once did: it was set back to a backup, or the server that took over lagged behind.
SELECT ours.topic, ours.partition
FROM unnest(:topic::text[], :partition::int[], :mine::bigint[]) AS ours (topic, partition, mine)
LEFT JOIN pruned.intake i
  ON i.cluster_id = :cluster_id::text AND i.topic = ours.topic AND i.partition = ours.partition
WHERE coalesce(i.next_offset, -1) < ours.mine
