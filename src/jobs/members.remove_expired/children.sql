-- A project's bot exists only for its membership: it is removed too, once. Fast by primary key and
-- the unique key of routes.
SELECT 'users.destroy' AS job, pg_catalog.jsonb_build_object('user_id', b.user_id, 'reason', 'Membership expired') AS args,
       b.user_id::text AS child_key, 'users.destroy:' || b.user_id::text AS unique_key, NULL::timestamptz AS due_at,
       pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('user', u.username, 'project', CASE b.source_type::text WHEN 'Project' THEN own.path END,
         'namespace', CASE b.source_type::text WHEN 'Project' THEN NULL ELSE own.path END, 'root_namespace', root.path)) AS context
FROM (SELECT DISTINCT ON (b.user_id) b.*
      FROM unnest(:user_id::bigint[], :user_type::smallint[], :what::text[], :source_type::text[], :source_id::bigint[],
                  :root_namespace_id::bigint[]) AS b (user_id, user_type, what, source_type, source_id, root_namespace_id)
      WHERE b.what = 'removed' AND b.user_type = 6
      ORDER BY b.user_id) AS b
LEFT JOIN users u ON u.id = b.user_id
LEFT JOIN routes own ON own.source_type::text = b.source_type::text AND own.source_id = b.source_id
LEFT JOIN routes root ON root.source_type::text = 'Namespace' AND root.source_id = b.root_namespace_id
ORDER BY b.user_id
