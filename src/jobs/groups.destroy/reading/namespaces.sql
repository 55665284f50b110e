-- Namespaces that are neither the group that the run is about, nor below it, nor that of a project
-- which has gone with it.
SELECT g.n, 'it is not the group that the run is about, nor below it' AS wrong, true AS sure
FROM pruned_gone g
WHERE (g.row).id <> (:args::jsonb ->> 'group_id')::bigint AND (:args::jsonb ->> 'group_id')::bigint <> ALL ((g.row).traversal_ids)
  AND NOT ((g.row).type = 'Project' AND (g.row).id IN (
    SELECT (e.json ->> 'project_namespace_id')::bigint FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
    WHERE d.run_id = :run_id::uuid AND d.table_name = 'projects' AND e.json ->> 'project_namespace_id' IS NOT NULL))
