-- The number of messages that Kafka has ever dropped before they were read, or that could not be
-- unpacked. The table has a row for each partition concerned.
SELECT coalesce(pg_catalog.sum(lost), 0)::float8 AS value FROM pruned.lost_messages
