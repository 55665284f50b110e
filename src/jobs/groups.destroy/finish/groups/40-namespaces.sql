-- Deletes the groups themselves. Fast by primary key.
DELETE FROM namespaces n WHERE n.id = ANY (:group::bigint[]) AND n.type::text = 'Group'
RETURNING n.id AS key, pg_catalog.to_jsonb(n.*) AS row
