-- Deletes the details of the projects' own namespaces. Fast by primary key.
DELETE FROM namespace_details d WHERE d.namespace_id = ANY (:namespace::bigint[])
RETURNING d.namespace_id AS key, pg_catalog.to_jsonb(d.*) AS row
