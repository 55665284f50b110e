-- Deletes the groups' paths. Fast by the unique key of the source.
DELETE FROM routes r WHERE r.source_type = 'Namespace' AND r.source_id = ANY (:group::bigint[])
RETURNING r.id AS key, to_jsonb(r.*) AS row
