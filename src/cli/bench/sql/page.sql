-- Deletes the next page of the temporary table, by its primary key.
DELETE FROM pg_temp.pruned_bench b
WHERE b.id IN (SELECT id FROM pg_temp.pruned_bench WHERE id > :after::bigint ORDER BY id LIMIT :limit::int)
RETURNING b.id AS key, pg_catalog.to_jsonb(b.*) AS row
