-- Deletes the groups themselves. Fast by primary key.
DELETE FROM namespaces n WHERE n.id = ANY (:group::bigint[]) AND n.type = 'Group'
RETURNING n.id AS key, to_jsonb(n.*) AS row
