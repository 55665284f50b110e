-- Rows of the other tables that name no group or project of the hierarchy: none of their columns
-- that name a place does. Places of it are in the audit, or still there while the run goes on. A
-- row that has no such column is none of them. Sure only if the records have the rows that it could
-- refer to.
WITH place (type, id) AS MATERIALIZED (
  SELECT 'Namespace', :args::jsonb ->> 'group_id'
  UNION
  SELECT 'Namespace', n.id::text FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[(:args::jsonb ->> 'group_id')::bigint]
  UNION
  SELECT 'Project', p.id::text FROM projects p JOIN namespaces n ON n.id = p.namespace_id
  WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[(:args::jsonb ->> 'group_id')::bigint]
  UNION
  SELECT CASE d.table_name WHEN 'projects' THEN 'Project' ELSE 'Namespace' END, k.key
  FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements_text(d.keys) AS k (key)
  WHERE d.run_id = :run_id::uuid AND d.table_name IN ('projects', 'namespaces') AND d.action = 'deleted'
)
SELECT g.n, 'it names no group or project that the run is about' AS wrong,
       NOT EXISTS (SELECT FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.rows IS NULL) AS sure
FROM pruned_gone g
CROSS JOIN LATERAL (
  SELECT pg_catalog.count(*) AS n, pg_catalog.count(*) FILTER (WHERE (x.type, c.value) IN (SELECT p.type, p.id FROM place p)) AS own
  FROM pg_catalog.jsonb_each_text(g.json) AS c (key, value)
  CROSS JOIN LATERAL (
    SELECT CASE WHEN c.key = 'source_id' THEN g.json ->> 'source_type'
                WHEN c.key = 'id' THEN CASE :table::text WHEN 'projects' THEN 'Project' WHEN 'namespaces' THEN 'Namespace' END
                WHEN c.key ~ '(^|_)project_id$' THEN 'Project'
                WHEN c.key ~ '(^|_)(group|namespace)_id$' THEN 'Namespace' END AS type) AS x
  WHERE c.value IS NOT NULL AND x.type IN ('Namespace', 'Project')) AS k
WHERE k.n > 0 AND k.own = 0
