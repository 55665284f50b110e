-- The users' next memberships by id, locked, with the fields of their outcomes. Fast in two halves:
-- memberships by (user_id, access_level), whose predicate is repeated, and access requests by an
-- index of their own.
WITH mine AS (
  SELECT m.id FROM pg_catalog.unnest(:user_id::bigint[]) AS k (id), LATERAL (
    SELECT id FROM members WHERE user_id = k.id AND requested_at IS NULL
    UNION ALL
    SELECT id FROM members WHERE user_id = k.id AND requested_at IS NOT NULL) AS m
  ORDER BY m.id LIMIT :limit::int
)
SELECT m.id AS key, m.id AS member_id, m.user_id, m.source_type, m.source_id, m.access_level, m.expires_at,
       CASE m.source_type::text
         WHEN 'Project' THEN (SELECT coalesce(n.traversal_ids[1], n.id)
                              FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = m.source_id)
         ELSE (SELECT coalesce(n.traversal_ids[1], n.id) FROM namespaces n WHERE n.id = m.source_id) END AS root_namespace_id
FROM mine JOIN members m ON m.id = mine.id
ORDER BY m.id FOR UPDATE OF m
