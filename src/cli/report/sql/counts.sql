-- What the runs of the days from `:since` on (of T, UTC) have done, of all jobs, as numbers: `tab`
-- null: of the job, as its results count; else rows of that other table. `name` of the job's sums
-- as in pruned.nights: runs (that ended well and applied), others, rows, failed. Reads each run
-- once; of the archive only these days.
WITH ended AS (
  SELECT r.job, r.rows_done, r.result FROM pruned.runs r
  WHERE r.finished_at IS NOT NULL AND r.state || '' = 'finished' AND r.range_of IS NULL AND r.scheduled_at >= :since::timestamptz
  UNION ALL
  SELECT d.job, d.rows_done, d.result FROM pruned.runs_done d
  WHERE d.finished_at IS NOT NULL AND d.state = 'finished' AND d.scheduled_at >= :since::timestamptz)
SELECT e.job, c.tab, c.name, pg_catalog.sum(c.n)::bigint AS n
FROM ended e
CROSS JOIN LATERAL (
  SELECT NULL::text AS tab, CASE WHEN coalesce(e.result ->> 'status', '') NOT IN ('blocked', 'failed') AND coalesce(e.result ->> 'mode', '') <> 'plan' THEN ' runs' ELSE ' others' END AS name, 1::numeric AS n
  UNION ALL
  SELECT NULL, ' rows', e.rows_done WHERE e.rows_done > 0
  UNION ALL
  SELECT NULL, k.key, k.value::numeric FROM pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(e.result) = 'object' THEN e.result END) AS k
  WHERE pg_catalog.jsonb_typeof(k.value) = 'number' AND k.value <> '0' AND coalesce(e.result ->> 'mode', '') <> 'plan'
  UNION ALL
  SELECT t.key, k.key, k.value::numeric FROM pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(e.result -> 'tables') = 'object' THEN e.result -> 'tables' END) AS t
  CROSS JOIN LATERAL pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(t.value) = 'object' THEN t.value END) AS k
  WHERE pg_catalog.jsonb_typeof(k.value) = 'number' AND k.value <> '0' AND coalesce(e.result ->> 'mode', '') <> 'plan') AS c
GROUP BY e.job, c.tab, c.name
ORDER BY e.job, c.tab NULLS FIRST, c.name
