-- A common table expression: what is deleted at the end, in this order, as conditions on alias x0:
-- the user's marks and schedules, the personal namespace with its paths and those of removed
-- namespaces that name it, the migration, and the user. Each condition has an index.
root (pos, table_name, column_name, condition) AS (
  VALUES
    (1, 'group_deletion_schedules', 'user_id', 'x0.user_id = :user_id::bigint'),
    (2, 'members_deletion_schedules', 'user_id', 'x0.user_id = :user_id::bigint'),
    (3, 'members_deletion_schedules', 'scheduled_by_id', 'x0.scheduled_by_id = :user_id::bigint'),
    (4, 'import_placeholder_user_details', 'placeholder_user_id', 'x0.placeholder_user_id = :user_id::bigint'),
    (5, 'routes', 'source_id', 'x0.source_type::text = ''Namespace'' AND x0.source_id IN'
        ' (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id::bigint AND n.type::text = ''User'')'),
    (5, 'routes', 'namespace_id', 'x0.namespace_id IN (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id::bigint AND n.type::text = ''User'')'
        ' AND CASE x0.source_type::text WHEN ''Project'' THEN NOT EXISTS (SELECT FROM projects p WHERE p.id = x0.source_id)'
        ' ELSE NOT EXISTS (SELECT FROM namespaces o WHERE o.id = x0.source_id) END'),
    (6, 'redirect_routes', 'source_id', 'x0.source_type::text = ''Namespace'' AND x0.source_id IN'
        ' (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id::bigint AND n.type::text = ''User'')'),
    (6, 'redirect_routes', 'namespace_id', 'x0.namespace_id IN (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id::bigint AND n.type::text = ''User'')'
        ' AND CASE x0.source_type::text WHEN ''Project'' THEN NOT EXISTS (SELECT FROM projects p WHERE p.id = x0.source_id)'
        ' ELSE NOT EXISTS (SELECT FROM namespaces o WHERE o.id = x0.source_id) END'),
    (7, 'namespaces', 'owner_id', 'x0.owner_id = :user_id::bigint AND x0.type::text = ''User'''),
    (8, 'ghost_user_migrations', 'user_id', 'x0.user_id = :user_id::bigint'),
    (9, 'users', 'id', 'x0.id = :user_id::bigint')
)
