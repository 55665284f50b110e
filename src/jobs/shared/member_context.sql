-- User and place of a membership: for log lines about single members. Fast by primary keys and the
-- unique key of routes.
SELECT m.id AS key, u.username AS "user",
       CASE m.source_type::text WHEN 'Project' THEN own.path END AS project,
       CASE m.source_type::text WHEN 'Project' THEN NULL ELSE own.path END AS namespace,
       root.path AS root_namespace
FROM pg_catalog.unnest(:key::bigint[]) AS k (id)
JOIN members m ON m.id = k.id
LEFT JOIN users u ON u.id = m.user_id
LEFT JOIN projects p ON m.source_type::text = 'Project' AND p.id = m.source_id
LEFT JOIN namespaces n ON n.id = CASE m.source_type::text WHEN 'Project' THEN p.namespace_id ELSE m.source_id END
LEFT JOIN routes own ON own.source_type::text = m.source_type::text AND own.source_id = m.source_id
LEFT JOIN routes root ON root.source_type::text = 'Namespace' AND root.source_id = coalesce(n.traversal_ids[1], n.id)
