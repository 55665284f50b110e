-- The tables in which a run removed or changed rows, and how many. Uses the index on (run_id,
-- step).
SELECT d.table_name AS "table", d.action, pg_catalog.sum(pg_catalog.jsonb_array_length(d.keys))::bigint AS rows
FROM pruned.deletions d
WHERE d.run_id = :run_id::uuid
GROUP BY d.table_name, d.action
ORDER BY rows DESC, d.table_name, d.action
