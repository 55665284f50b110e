-- The last recorded steps of a run, the newest first, each with the rows of its page and what they
-- took. A range numbers its steps from its own number times `:range_steps`. Uses the index on
-- (run_id, step), and reads the last 20 steps of each range.
SELECT nullif(g.range, 0) AS range, s.step - g.range * :range_steps::bigint AS step, s.at, s.rows, s.took_ms, s.tables
FROM pg_catalog.generate_series(0, (SELECT pg_catalog.max(d.step) FROM pruned.deletions d WHERE d.run_id = :run_id::uuid)
                                   / :range_steps::bigint) AS g (range)
CROSS JOIN LATERAL (
  SELECT d.step, pg_catalog.min(d.at) AS at, pg_catalog.sum(pg_catalog.jsonb_array_length(d.keys))::bigint AS rows,
         pg_catalog.max(d.after_ms) AS took_ms, pg_catalog.string_agg(DISTINCT d.table_name, ', ' ORDER BY d.table_name) AS tables
  FROM pruned.deletions d
  WHERE d.run_id = :run_id::uuid AND d.step >= g.range * :range_steps::bigint AND d.step < (g.range + 1) * :range_steps::bigint
  GROUP BY d.step
  ORDER BY d.step DESC
  LIMIT 20) AS s
ORDER BY s.step - g.range * :range_steps::bigint DESC, g.range DESC
LIMIT 20
