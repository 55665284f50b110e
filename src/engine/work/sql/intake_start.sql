-- Where this partition's intake stopped.
SELECT next_offset, greatest(next_offset, read_to) AS read_to, (extract(epoch FROM last_timestamp) * 1000.0)::bigint AS last_ms
FROM pruned.intake
WHERE cluster_id = :cluster_id::text AND topic = :topic::text AND partition = :partition::int
