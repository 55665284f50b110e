-- Deletes the projects themselves. Fast by primary key.
DELETE FROM projects p
WHERE p.id = ANY (:project::bigint[])
RETURNING p.id AS key, pg_catalog.to_jsonb(p.*) AS row, p.id AS project_id, p.namespace_id,
          (SELECT coalesce(n.traversal_ids[1], n.id) FROM namespaces n WHERE n.id = p.namespace_id) AS root_namespace_id,
          coalesce((SELECT r.path FROM routes r WHERE r.source_type::text = 'Project' AND r.source_id = p.id), p.path, '') AS full_path
