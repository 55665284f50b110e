-- The next memberships of a user in the hierarchy of a root, by id: of its groups and of the
-- projects in these.
-- Fast because it starts from the user's memberships, not from the hierarchy: by (user_id,
-- access_level), whose predicate is repeated. `:requests` are the access requests (requests.sql);
-- `:gone` is what earlier steps removed (only a plan has such). Group and project are looked up by
-- primary key until the limit is reached.
WITH mine AS MATERIALIZED (
  SELECT m.id, m.source_type, m.source_id FROM members m
  WHERE m.user_id = :user::bigint AND m.requested_at IS NULL AND m.id > :after::bigint
  UNION ALL
  SELECT m.id, m.source_type, m.source_id FROM members m
  WHERE m.id = ANY (:requests::bigint[]) AND m.user_id = :user::bigint AND m.requested_at IS NOT NULL AND m.id > :after::bigint
)
SELECT m.id
FROM (SELECT * FROM mine WHERE id NOT IN (SELECT pg_catalog.unnest(:gone::bigint[])) ORDER BY id) AS m
WHERE CASE m.source_type::text
        WHEN 'Project' THEN (SELECT n.traversal_ids[1] FROM projects p JOIN namespaces n ON n.id = p.namespace_id
                             WHERE p.id = m.source_id)
        ELSE (SELECT n.traversal_ids[1] FROM namespaces n WHERE n.id = m.source_id AND n.type::text = 'Group') END = :root::bigint
LIMIT :limit::int
