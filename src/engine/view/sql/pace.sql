-- How many rows a run has removed or changed over its time, from its first record to its last, in
-- 30 equal parts. No row: it has fewer than two moments. Uses the index on (run_id, step).
WITH recorded AS MATERIALIZED (
  SELECT d.step, pg_catalog.jsonb_array_length(d.keys) AS rows, extract(epoch FROM d.at)::float8 AS at
  FROM pruned.deletions d WHERE d.run_id = :run_id::uuid),
span AS MATERIALIZED (SELECT pg_catalog.min(r.at) AS first, (pg_catalog.max(r.at) - pg_catalog.min(r.at)) / 30.0::float8 AS part FROM recorded r),
placed AS MATERIALIZED (
  SELECT least(pg_catalog.floor((r.at - s.first) / s.part)::int, 29) AS n, r.step, r.rows
  FROM recorded r CROSS JOIN span s WHERE s.part > 0.0::float8)
SELECT pg_catalog.to_timestamp(s.first + g.n::float8 * s.part) AS at, coalesce(pg_catalog.sum(p.rows), 0) AS rows, pg_catalog.count(DISTINCT p.step) AS steps
FROM span s CROSS JOIN pg_catalog.generate_series(0, 29) AS g (n) LEFT JOIN placed p ON p.n = g.n
WHERE s.part > 0.0::float8
GROUP BY s.first, s.part, g.n
ORDER BY g.n
