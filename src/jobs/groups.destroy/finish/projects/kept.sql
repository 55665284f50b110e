-- The projects' own namespaces that are still there. Fast by primary key.
SELECT n.id FROM namespaces n WHERE n.id = ANY (:namespace::bigint[]) AND n.type::text = 'Project' ORDER BY n.id
