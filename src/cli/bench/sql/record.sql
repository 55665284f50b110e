-- Writes a record to the write-ahead log that belongs to no table: the commit must reach the disk,
-- and no row is left.
SELECT pg_catalog.pg_logical_emit_message(true, 'pruned bench', pg_catalog.repeat('x', 200)) AS at
