-- Partitions in which Kafka was found, within the last day, to have other messages than those that
-- were read.
SELECT topic, partition, others_first AS first_offset, others_next AS next_offset,
       pg_catalog.date_trunc('second', now() - others_at)::text AS age
FROM pruned.intake WHERE others_at > now() - interval '1 day' ORDER BY topic, partition
