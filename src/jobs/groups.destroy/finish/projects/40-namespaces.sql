-- Deletes the projects' own namespaces. Fast by primary key.
DELETE FROM namespaces n WHERE n.id = ANY (:namespace::bigint[]) AND n.type::text = 'Project'
RETURNING n.id AS key, pg_catalog.to_jsonb(n.*) AS row
