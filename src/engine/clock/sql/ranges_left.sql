-- Ranges that have ended and whose run has ended without them (it was discarded, or superseded):
-- the run gets what they have done. Read by the index on range_of.
WITH gone AS (
  DELETE FROM pruned.runs g
  WHERE g.run_id = ANY (ARRAY(
    SELECT r.run_id FROM pruned.runs r LEFT JOIN pruned.runs p ON p.run_id = r.range_of
    WHERE r.range_of IS NOT NULL AND r.state || '' IN ('finished', 'dead', 'skipped') AND (p.run_id IS NULL OR p.state IN ('finished', 'skipped'))
    ORDER BY r.run_id
    LIMIT 100
    FOR UPDATE OF r SKIP LOCKED))
  RETURNING g.range_of, g.result, g.rows_done),
counted AS (
  SELECT g.range_of, c.key, pg_catalog.sum((c.value #>> '{}')::numeric) AS n
  FROM gone g CROSS JOIN LATERAL pg_catalog.jsonb_each(coalesce(g.result, '{}')) AS c (key, value)
  WHERE pg_catalog.jsonb_typeof(c.value) = 'number'
  GROUP BY g.range_of, c.key),
done AS (SELECT g.range_of, pg_catalog.sum(g.rows_done) AS rows FROM gone g GROUP BY g.range_of)
UPDATE pruned.runs p
SET rows_done = coalesce(p.rows_done, 0) + coalesce(d.rows, 0)::bigint,
    result = coalesce(p.result, '{}')
             || coalesce((SELECT pg_catalog.jsonb_object_agg(c.key, c.n + coalesce((p.result ->> c.key)::numeric, 0))
                          FROM counted c WHERE c.range_of = p.run_id), '{}')
FROM done d WHERE p.run_id = d.range_of
RETURNING p.run_id
