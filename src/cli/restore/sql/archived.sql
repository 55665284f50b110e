-- The rows of a step that a file of an archive has, by the keys of its record. `line`: where the
-- row is; null: nowhere. `differs`: a column that the audit has otherwise. `bare`: the audit has no
-- rows. `row`: as the file has it. `place`: the record, of which a step has several if its page was
-- halved. Uses the index on (run_id, step).
WITH line AS MATERIALIZED (
  SELECT l.n, l.line -> 'key' AS key, l.line -> 'row' AS row
  FROM (SELECT u.n, u.line::jsonb AS line FROM pg_catalog.unnest(:lines::text[]) WITH ORDINALITY AS u (line, n)) AS l
)
SELECT e.place, e.key #>> '{}' AS key, l.n AS line, e.bare, l.row::text AS row,
       (SELECT pg_catalog.min(a.key) FROM pg_catalog.jsonb_each(e.row) AS a WHERE a.value IS DISTINCT FROM l.row -> a.key) AS differs
FROM (
  SELECT pg_catalog.format('%s%s', d.tableoid, d.ctid) AS place, v.n, v.key, v.row, d.rows IS NULL AS bare
  FROM pruned.deletions d
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) WITH ORDINALITY AS v (key, row, n)
  WHERE d.run_id = :run_id::uuid AND d.step = :step::int AND d.archived_in = :path::text) AS e
LEFT JOIN line l ON l.key = e.key
ORDER BY e.place, e.n
