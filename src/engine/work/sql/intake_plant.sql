-- The first assignment of a partition is remembered before its first message, so that a database that is set back to before that message
-- knows where it was. No row: another process was faster.
INSERT INTO pruned.intake (cluster_id, topic, partition, next_offset, last_timestamp)
VALUES (:cluster_id::text, :topic::text, :partition::int, :next::bigint, pg_catalog.to_timestamp(:last_ms::bigint / 1000.0))
ON CONFLICT (cluster_id, topic, partition) DO NOTHING
RETURNING next_offset
