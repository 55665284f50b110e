-- Whose objects these are, one row each: for log lines about single objects. Fast by the unique key of routes.
SELECT r.path AS project, split_part(r.path, '/', 1) AS root_namespace
FROM unnest(:project::bigint[]) WITH ORDINALITY AS k (id, position)
LEFT JOIN routes r ON r.source_type = 'Project' AND r.source_id = k.id
ORDER BY k.position
