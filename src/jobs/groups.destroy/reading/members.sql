-- Memberships of places outside the hierarchy. A group or a project of it is in the audit, or still
-- there while the run goes on.
SELECT g.n, 'it is of no group or project that the run is about' AS wrong, true AS sure
FROM pruned_gone g
WHERE NOT EXISTS (
    SELECT FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.table_name = CASE (g.row).source_type WHEN 'Project' THEN 'projects' ELSE 'namespaces' END
      AND d.keys @> pg_catalog.jsonb_build_array((g.row).source_id))
  AND NOT CASE (g.row).source_type
        WHEN 'Project' THEN EXISTS (SELECT FROM projects p JOIN namespaces n ON n.id = p.namespace_id
                                    WHERE p.id = (g.row).source_id AND (:args::jsonb ->> 'group_id')::bigint = ANY (n.traversal_ids))
        ELSE EXISTS (SELECT FROM namespaces n WHERE n.id = (g.row).source_id AND (:args::jsonb ->> 'group_id')::bigint = ANY (n.traversal_ids)) END
  AND (g.row).member_namespace_id IS DISTINCT FROM (:args::jsonb ->> 'group_id')::bigint
