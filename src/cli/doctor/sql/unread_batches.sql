-- Offsets that were passed over within the last day, because their batch cannot be unpacked: a row
-- for each partition.
SELECT topic, partition, unread_first AS first_offset, unread_next - 1 AS last_offset,
       pg_catalog.date_trunc('second', now() - unread_at)::text AS age
FROM pruned.lost_messages WHERE unread_at > now() - interval '1 day' ORDER BY topic, partition
