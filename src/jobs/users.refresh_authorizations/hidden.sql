-- Common table expressions: hidden (id, user_id, project_id, group_id), the todos of `held` (with
-- the same columns; group_id only without a project) whose users cannot see their project or group.
-- The statement has held and reach before. Visible are projects and groups that are not private,
-- projects with an authorization, groups that give rights or lie above or below one that does, and
-- groups with such a project below, or with one of which the user is a member. Fast because what a
-- todo names is looked up by primary key.
seen_group AS MATERIALIZED (
  SELECT h.user_id, h.group_id
  FROM (SELECT DISTINCT user_id, group_id FROM held WHERE group_id IS NOT NULL) AS h
  CROSS JOIN LATERAL (SELECT n.id, n.visibility_level, n.traversal_ids FROM namespaces n WHERE n.id = h.group_id OFFSET 0) AS n
  WHERE n.visibility_level > 0
     OR EXISTS (SELECT FROM reach r LEFT JOIN namespaces g ON g.id = r.group_id
                WHERE r.user_id = h.user_id
                  AND (r.group_id = n.id OR r.group_id = ANY (n.traversal_ids) OR n.id = ANY (g.traversal_ids)))
     OR EXISTS (SELECT FROM project_authorizations a JOIN projects p ON p.id = a.project_id
                JOIN namespaces g ON g.id = p.namespace_id
                WHERE a.user_id = h.user_id AND (g.id = n.id OR n.id = ANY (g.traversal_ids)))
     OR EXISTS (SELECT FROM membership m JOIN projects p ON p.id = m.source_id
                JOIN namespaces g ON g.id = p.namespace_id
                WHERE m.user_id = h.user_id AND NOT m.of_group AND m.access_level > 5 AND (g.id = n.id OR n.id = ANY (g.traversal_ids)))
),
hidden AS MATERIALIZED (
  SELECT h.id, h.user_id, h.project_id, h.group_id FROM held h
  WHERE CASE WHEN h.group_id IS NOT NULL
    THEN NOT EXISTS (SELECT FROM seen_group s WHERE s.user_id = h.user_id AND s.group_id = h.group_id)
    ELSE (SELECT p.visibility_level > 0 FROM projects p WHERE p.id = h.project_id) IS NOT TRUE
     AND NOT EXISTS (SELECT FROM project_authorizations a WHERE a.user_id = h.user_id AND a.project_id = h.project_id) END
)
