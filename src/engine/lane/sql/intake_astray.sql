-- Partitions for which PostgreSQL has an older position than it once had, or another message
-- there: it was restored from a backup, or failed over to a server that lagged behind, and other
-- messages may have been taken since.
SELECT ours.topic, ours.partition
FROM unnest(:topic::text[], :partition::int[], :mine::bigint[], :last_ms::bigint[]) AS ours (topic, partition, mine, last_ms)
LEFT JOIN pruned.intake i
  ON i.cluster_id = :cluster_id::text AND i.topic = ours.topic AND i.partition = ours.partition
WHERE coalesce(i.next_offset, -1) < ours.mine
   OR i.next_offset = ours.mine AND ours.last_ms <> 0
      AND least((extract(epoch FROM i.last_timestamp) * 1000.0)::bigint, 253402300799999) <> ours.last_ms
