-- Kafka has other messages than were read from here on, or none: the offset moves back to read
-- them, and `pruned doctor` reports it for a day. No row: another process has moved the offset.
UPDATE pruned.intake i
SET next_offset = :next::bigint, last_timestamp = pg_catalog.to_timestamp(:last_ms::bigint::numeric / 1000.0),
    read_to = NULL, same_offset = NULL, same_ms = NULL,
    others_first = :next::bigint, others_next = :others_to::bigint, others_at = now()
WHERE i.cluster_id = :cluster_id::text AND i.topic = :topic::text AND i.partition = :partition::int AND i.next_offset = :mine::bigint
RETURNING i.next_offset
