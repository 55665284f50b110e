-- The project of each object, one row each: for log lines about single objects. `has_routes`: the
-- database has the table of the projects' paths; the application may keep it in another database.
-- Fast by primary key.
SELECT o.project_id, pg_catalog.to_regclass('routes') IS NOT NULL AS has_routes
FROM pg_catalog.unnest(:id::bigint[]) WITH ORDINALITY AS k (id, position)
LEFT JOIN ci_deleted_objects o ON o.id = k.id
ORDER BY k.position
