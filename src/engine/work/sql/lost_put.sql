-- Offsets that expired before they were read, added to the partition's. Several stretches within a
-- day are stored as one, from the first to the last.
INSERT INTO pruned.lost_messages AS l (cluster_id, topic, partition, lost, first_offset, next_offset)
VALUES (:cluster_id::text, :topic::text, :partition::int, :next::bigint - :first::bigint, :first::bigint, :next::bigint)
ON CONFLICT (cluster_id, topic, partition) DO UPDATE
SET lost = l.lost + excluded.lost, next_offset = excluded.next_offset, lost_at = now(),
    first_offset = CASE WHEN l.lost_at > now() - interval '1 day' THEN least(l.first_offset, excluded.first_offset) ELSE excluded.first_offset END
RETURNING lost
