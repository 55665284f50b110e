-- Where this partition's intake stopped. last_ms: KAFKA_LATEST_MS at most, as of messages that are
-- read now. same_offset, same_ms: the message before that was compared last; null: none.
SELECT next_offset, greatest(next_offset, read_to) AS read_to,
       least((extract(epoch FROM last_timestamp) * 1000.0)::bigint, 253402300799999) AS last_ms,
       CASE WHEN same_offset < next_offset THEN same_offset END AS same_offset, same_ms
FROM pruned.intake
WHERE cluster_id = :cluster_id::text AND topic = :topic::text AND partition = :partition::int
