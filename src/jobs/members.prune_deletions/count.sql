-- The schedules that are due, and the memberships of their users in their hierarchies; those that
-- will be denied are among them. Fast because each user's memberships are read by (user_id,
-- access_level), group and project by primary key, and it stops at the limit.
WITH
-- include: ../shared/schedules_left.sql
SELECT count(*) AS n
FROM (SELECT FROM schedule_left l
      JOIN members_deletion_schedules s ON s.id = l.id
      JOIN namespaces g ON g.id = s.namespace_id AND g.type::text = 'Group'
      CROSS JOIN LATERAL (
        SELECT UNION ALL
        SELECT FROM (SELECT m.source_type, m.source_id FROM members m WHERE m.user_id = s.user_id AND m.requested_at IS NULL OFFSET 0) AS m
        WHERE CASE m.source_type::text
                WHEN 'Project' THEN (SELECT n.traversal_ids[1] FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = m.source_id)
                ELSE (SELECT n.traversal_ids[1] FROM namespaces n WHERE n.id = m.source_id AND n.type::text = 'Group') END = g.traversal_ids[1]) AS x
      LIMIT :limit::bigint) AS r
