-- The project of each object, one row each: for log lines about single objects. Fast by primary
-- key, and by the unique key of routes.
SELECT o.project_id, r.path AS project, pg_catalog.split_part(r.path, '/', 1) AS root_namespace
FROM pg_catalog.unnest(:id::bigint[]) WITH ORDINALITY AS k (id, position)
LEFT JOIN ci_deleted_objects o ON o.id = k.id
LEFT JOIN routes r ON r.source_type = 'Project' AND r.source_id = o.project_id
ORDER BY k.position
