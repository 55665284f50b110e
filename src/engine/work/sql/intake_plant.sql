-- Stores where a partition's first assignment begins, before its first message, so that a database
-- restored to that time knows the offset. No row: another process was faster.
INSERT INTO pruned.intake (cluster_id, topic, partition, next_offset, last_timestamp)
VALUES (:cluster_id::text, :topic::text, :partition::int, :next::bigint, pg_catalog.to_timestamp(:last_ms::bigint::numeric / 1000.0))
ON CONFLICT (cluster_id, topic, partition) DO NOTHING
RETURNING next_offset
