-- Deletes the groups' paths, and others that name them: only paths of removed namespaces
-- (hold/30-strangers.sql). Fast by the unique key of the source and (namespace_id).
DELETE FROM routes r WHERE r.source_type::text = 'Namespace' AND r.source_id = ANY (:group::bigint[])
   OR r.namespace_id = ANY (:group::bigint[])
RETURNING r.id AS key, pg_catalog.to_jsonb(r.*) AS row
