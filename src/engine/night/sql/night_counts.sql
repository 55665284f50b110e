-- Part of a statement: what the results of the ended runs `e` count, as rows of
-- pruned.night_counts. Not of plans, which change nothing.
SELECT (e.scheduled_at AT TIME ZONE 'UTC')::date AS day, e.job, c.tab, c.name, pg_catalog.sum(c.n)::bigint AS n
FROM ended e
CROSS JOIN LATERAL (
  SELECT '' AS tab, k.key AS name, k.value::numeric AS n
  FROM pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(e.result) = 'object' THEN e.result END) AS k
  WHERE pg_catalog.jsonb_typeof(k.value) = 'number' AND k.value <> '0'
  UNION ALL
  SELECT t.key, k.key, k.value::numeric
  FROM pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(e.result -> 'tables') = 'object' THEN e.result -> 'tables' END) AS t
  CROSS JOIN LATERAL pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(t.value) = 'object' THEN t.value END) AS k
  WHERE pg_catalog.jsonb_typeof(k.value) = 'number' AND k.value <> '0') AS c
WHERE coalesce(e.result ->> 'mode', '') <> 'plan'
GROUP BY 1, 2, 3, 4
