-- The database's clock, microseconds.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
