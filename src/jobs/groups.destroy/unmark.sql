-- After a step that failed: the group is in use again until the next retry, and a log line says so.
-- After a run was discarded (`skipped`) the mark stays.
-- Fast by primary keys.
WITH group_ AS (SELECT (:args::jsonb ->> 'group_id')::bigint AS id),
cleared AS (
  UPDATE namespace_details d SET deleted_at = NULL, updated_at = now()
  FROM group_ g WHERE d.namespace_id = g.id AND d.deleted_at IS NOT NULL AND :state::text <> 'skipped'
)
SELECT 'error' AS level, 'Rescheduling group deletion' AS message, g.id AS group_id, u.id AS user_id, u.username AS "user",
       r.path AS namespace, root.path AS root_namespace
FROM group_ g
LEFT JOIN users u ON u.id = (:args::jsonb ->> 'user_id')::bigint
LEFT JOIN namespaces n ON n.id = g.id
LEFT JOIN routes r ON r.source_type::text = 'Namespace' AND r.source_id = g.id
LEFT JOIN routes root ON root.source_type::text = 'Namespace' AND root.source_id = n.traversal_ids[1]
