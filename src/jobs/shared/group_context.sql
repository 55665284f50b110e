-- The group, its root, and the user who marked it: for log lines about single groups. Fast by
-- unique keys.
SELECT n.id AS key, u.username AS "user", NULL::text AS project, own.path AS namespace, root.path AS root_namespace
FROM namespaces n
LEFT JOIN group_deletion_schedules s ON s.group_id = n.id
LEFT JOIN users u ON u.id = s.user_id
LEFT JOIN routes own ON own.source_type::text = 'Namespace' AND own.source_id = n.id
LEFT JOIN routes root ON root.source_type::text = 'Namespace' AND root.source_id = n.traversal_ids[1]
WHERE n.id = ANY (:key::bigint[])
