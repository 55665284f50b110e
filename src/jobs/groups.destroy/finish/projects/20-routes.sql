-- Deletes the projects' paths, and others that name their namespaces: only paths of removed
-- namespaces (hold/30-strangers.sql). Fast by the unique key of the source and (namespace_id).
DELETE FROM routes r
WHERE r.source_type::text = 'Project' AND r.source_id = ANY (:project::bigint[])
   OR r.source_type::text = 'Namespace' AND r.source_id = ANY (:namespace::bigint[])
   OR r.namespace_id = ANY (:namespace::bigint[])
RETURNING r.id AS key, pg_catalog.to_jsonb(r.*) AS row
