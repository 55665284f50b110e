-- Rows of the other tables that name neither the user that the run is about nor a namespace of
-- theirs that has gone: none of their columns that name a user, or the place of a path, does. A row
-- that has no such column is none of them. Sure only if the records have the rows that it could
-- refer to.
SELECT g.n, 'it does not name the user that the run is about' AS wrong,
       NOT EXISTS (SELECT FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.rows IS NULL) AS sure
FROM pruned_gone g
CROSS JOIN LATERAL (
  SELECT pg_catalog.count(*) AS n, pg_catalog.count(*) FILTER (
           WHERE CASE WHEN c.key IN ('namespace_id', 'source_id') THEN c.value IN (
                   SELECT e.json ->> 'id' FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
                   WHERE d.run_id = :run_id::uuid AND d.table_name = 'namespaces')
                 ELSE c.value = :args::jsonb ->> 'user_id' END) AS own
  FROM pg_catalog.jsonb_each_text(g.json) AS c (key, value)
  WHERE c.value IS NOT NULL
    AND (c.key ~ '(^|_)(user|owner|author|assignee|reporter)_id$' OR c.key ~ '_by_id$' OR c.key = 'namespace_id' OR c.key = 'source_id' AND g.json ->> 'source_type' = 'Namespace')) AS k
WHERE k.n > 0 AND k.own = 0
