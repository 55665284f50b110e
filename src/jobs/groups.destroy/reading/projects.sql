-- Projects that are in no group of the hierarchy: these are in the audit, or still there while the
-- run goes on.
SELECT g.n, 'it is in no group that the run is about' AS wrong, true AS sure
FROM pruned_gone g
WHERE (g.row).namespace_id <> (:args::jsonb ->> 'group_id')::bigint
  AND (g.row).namespace_id NOT IN (
    SELECT (e.json ->> 'id')::bigint FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
    WHERE d.run_id = :run_id::uuid AND d.table_name = 'namespaces')
  AND NOT EXISTS (SELECT FROM namespaces n WHERE n.id = (g.row).namespace_id AND (:args::jsonb ->> 'group_id')::bigint = ANY (n.traversal_ids))
