-- The last recorded steps of a run, the newest first, each with the rows of its page and what they
-- took. Uses the index on (run_id, step).
SELECT d.step, pg_catalog.min(d.at) AS at, pg_catalog.sum(pg_catalog.jsonb_array_length(d.keys))::bigint AS rows,
       pg_catalog.max(d.after_ms) AS took_ms,
       pg_catalog.string_agg(DISTINCT d.table_name, ', ' ORDER BY d.table_name) AS tables
FROM pruned.deletions d
WHERE d.run_id = :run_id::uuid
GROUP BY d.step
ORDER BY d.step DESC
LIMIT 20
