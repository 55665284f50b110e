-- Ticks and events that Kafka dropped before they were read, found within the last day: a row for
-- each partition.
SELECT topic, partition, first_offset, next_offset, pg_catalog.date_trunc('second', now() - lost_at)::text AS age
FROM pruned.lost_messages WHERE lost_at > now() - interval '1 day' ORDER BY topic, partition
