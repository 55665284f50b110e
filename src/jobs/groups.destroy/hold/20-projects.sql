-- The same for the projects. Fast by primary key.
SELECT p.id, NOT EXISTS (SELECT FROM namespaces n WHERE n.id = p.namespace_id AND n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:top::bigint]) AS moved
FROM projects p WHERE p.id = ANY (:project::bigint[]) ORDER BY p.id FOR UPDATE OF p
