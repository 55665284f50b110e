-- The rows of a step that a file of an archive has, by the keys of its record (`recorded`). `line`:
-- where the row is; null: nowhere. `differs`: a column that the audit has otherwise. `bare`: the
-- audit has no rows. `row`, `key`: as the file has them. `place`: the record. A key that is a
-- secret is recorded by its hash; of several columns, each by itself. Uses the index on (run_id,
-- step).
WITH line AS MATERIALIZED (
  SELECT l.n, l.line -> 'key' AS key, l.line -> 'row' AS row
  FROM (SELECT u.n, u.line::jsonb AS line FROM pg_catalog.unnest(:lines::text[]) WITH ORDINALITY AS u (line, n)) AS l
),
entry AS MATERIALIZED (
  SELECT pg_catalog.format('%s%s', d.tableoid, d.ctid) AS place, v.n, v.key, v.row, d.rows IS NULL AS bare
  FROM pruned.deletions d
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) WITH ORDINALITY AS v (key, row, n)
  WHERE d.run_id = :run_id::uuid AND d.step = :step::int AND d.archived_in = :path::text
),
hashed AS MATERIALIZED (
  SELECT coalesce(pg_catalog.array_agg(o.name), '{}') AS names
  FROM (SELECT e.key FROM entry e LIMIT 1) AS e
  CROSS JOIN LATERAL pg_catalog.jsonb_each(CASE pg_catalog.jsonb_typeof(e.key) WHEN 'object' THEN e.key ELSE pg_catalog.jsonb_build_object('', e.key) END) AS o (name, value)
  WHERE pg_catalog.starts_with(o.value #>> '{}', 'sha256:')
    AND NOT EXISTS (SELECT FROM line l WHERE o.value = CASE pg_catalog.jsonb_typeof(l.key) WHEN 'object' THEN l.key -> o.name ELSE l.key END)
),
named AS MATERIALIZED (
  SELECT l.*, CASE WHEN pg_catalog.cardinality(h.names) = 0 THEN l.key
                   WHEN pg_catalog.jsonb_typeof(l.key) = 'object' THEN (
                     SELECT pg_catalog.jsonb_object_agg(m.key, CASE WHEN m.key = ANY (h.names) THEN
-- include: ../../../engine/job/sql/hashed.sql
                       ELSE m.value END) FROM pg_catalog.jsonb_each(l.key) AS m)
                   ELSE (SELECT
-- include: ../../../engine/job/sql/hashed.sql
                     FROM (SELECT l.key AS value) AS m) END AS recorded
  FROM line l CROSS JOIN hashed h
)
SELECT e.place, e.key #>> '{}' AS recorded, l.key::text AS key, l.n AS line, e.bare, l.row::text AS row,
       (SELECT pg_catalog.min(a.key) FROM pg_catalog.jsonb_each(e.row) AS a WHERE a.value IS DISTINCT FROM l.row -> a.key) AS differs
FROM entry e LEFT JOIN named l ON l.recorded = e.key
ORDER BY e.place, e.n
