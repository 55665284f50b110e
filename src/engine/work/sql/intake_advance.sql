-- Moves the next offset in the transaction that makes the rows. No row: another process has moved
-- it, so this one does not own the partition.
INSERT INTO pruned.intake AS i (cluster_id, topic, partition, next_offset, last_timestamp, read_to)
VALUES (:cluster_id::text, :topic::text, :partition::int, :next::bigint,
        pg_catalog.to_timestamp(:last_ms::bigint::numeric / 1000.0), :read_to::bigint)
ON CONFLICT (cluster_id, topic, partition) DO UPDATE
SET next_offset = excluded.next_offset, last_timestamp = excluded.last_timestamp,
    read_to = greatest(excluded.read_to, i.read_to)
WHERE i.next_offset = :mine::bigint
RETURNING next_offset
