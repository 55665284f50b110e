-- Deletes the groups' details. Fast by primary key.
DELETE FROM namespace_details d WHERE d.namespace_id = ANY (:group::bigint[])
RETURNING d.namespace_id AS key, pg_catalog.to_jsonb(d.*) AS row
