-- Offsets of a batch that cannot be unpacked, added to the partition's. Several batches within a
-- day are stored as one stretch, from the first to the last.
INSERT INTO pruned.lost_messages AS l (cluster_id, topic, partition, lost, first_offset, next_offset, lost_at, unread_first, unread_next, unread_at)
VALUES (:cluster_id::text, :topic::text, :partition::int, :next::bigint - :first::bigint, :next::bigint, :next::bigint, '-infinity',
        :first::bigint, :next::bigint, now())
ON CONFLICT (cluster_id, topic, partition) DO UPDATE
SET lost = l.lost + excluded.lost, unread_next = excluded.unread_next, unread_at = now(),
    unread_first = CASE WHEN l.unread_at > now() - interval '1 day' THEN least(l.unread_first, excluded.unread_first) ELSE excluded.unread_first END
RETURNING lost
