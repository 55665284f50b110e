-- The groups that are deleted now, with the fields of their outcomes. Fast by primary and unique
-- keys.
SELECT n.id AS group_id, n.traversal_ids[1] AS root_namespace_id, n.parent_id AS parent_namespace_id,
       coalesce(r.path, n.path) AS full_path
FROM namespaces n LEFT JOIN routes r ON r.source_type::text = 'Namespace' AND r.source_id = n.id
WHERE n.id = ANY (:group::bigint[]) AND n.type::text = 'Group'
ORDER BY n.id
