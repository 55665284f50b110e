-- The time on the database's clock, in microseconds.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000.0)::bigint AS now
