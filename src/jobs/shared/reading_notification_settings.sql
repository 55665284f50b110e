-- Settings of which no membership of that user there has gone in the same step.
SELECT g.n, 'no membership of its user there has gone with it' AS wrong, true AS sure
FROM pruned_gone g
WHERE (g.step, (g.row).user_id, (g.row).source_id, (g.row).source_type::text) NOT IN (
  SELECT d.step, (e.json ->> 'user_id')::bigint, (e.json ->> 'source_id')::bigint, e.json ->> 'source_type'
  FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
  WHERE d.run_id = :run_id::uuid AND d.table_name = 'members' AND d.action = 'deleted' AND d.step IN (SELECT s.step FROM pruned_gone s)
    AND e.json ->> 'user_id' IS NOT NULL)
