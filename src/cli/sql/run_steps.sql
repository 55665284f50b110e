-- The last recorded steps of a run, the newest first, each with the rows of its page and what they
-- took. A range numbers its steps from its own number times 100,000,000. Uses the index on (run_id,
-- step).
SELECT nullif(d.step / 100000000, 0) AS range, d.step % 100000000 AS step, pg_catalog.min(d.at) AS at,
       pg_catalog.sum(pg_catalog.jsonb_array_length(d.keys))::bigint AS rows, pg_catalog.max(d.after_ms) AS took_ms,
       pg_catalog.string_agg(DISTINCT d.table_name, ', ' ORDER BY d.table_name) AS tables
FROM pruned.deletions d
WHERE d.run_id = :run_id::uuid
GROUP BY d.step
ORDER BY d.step % 100000000 DESC, d.step DESC
LIMIT 20
