-- Moves the next offset in the transaction that makes the rows. No row: another process has moved
-- it, so this one does not own the partition. same_offset: the message that was compared last.
INSERT INTO pruned.intake AS i (cluster_id, topic, partition, next_offset, last_timestamp, read_to, same_offset, same_ms)
VALUES (:cluster_id::text, :topic::text, :partition::int, :next::bigint,
        pg_catalog.to_timestamp(:last_ms::bigint::numeric / 1000.0), :read_to::bigint,
        :same_offset::bigint, :same_ms::bigint)
ON CONFLICT (cluster_id, topic, partition) DO UPDATE
SET next_offset = excluded.next_offset, last_timestamp = excluded.last_timestamp,
    read_to = greatest(excluded.read_to, i.read_to),
    same_offset = excluded.same_offset, same_ms = excluded.same_ms
WHERE i.next_offset = :mine::bigint
RETURNING next_offset
