-- Deletes the projects' paths. Fast by the unique key of the source.
DELETE FROM routes r
WHERE r.source_type = 'Project' AND r.source_id = ANY (:project::bigint[])
   OR r.source_type = 'Namespace' AND r.source_id = ANY (:namespace::bigint[])
RETURNING r.id AS key, to_jsonb(r.*) AS row
