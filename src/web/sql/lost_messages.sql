-- Offsets of ticks and events that Kafka dropped before they were read, ever: a row a partition that it happened to.
SELECT coalesce(pg_catalog.sum(lost), 0)::float8 AS value FROM pruned.lost_messages
