-- The memberships that a run would ask about, each for one schedule: those that count.sql counts.
-- Fast for the same reasons.
WITH
-- include: ../shared/schedules_left.sql
SELECT DISTINCT ON (m.id) m.id AS member, s.id AS schedule
FROM schedule_left l
JOIN members_deletion_schedules s ON s.id = l.id
JOIN namespaces g ON g.id = s.namespace_id AND g.type::text = 'Group'
CROSS JOIN LATERAL (SELECT m.id, m.source_type, m.source_id FROM members m WHERE m.user_id = s.user_id AND m.requested_at IS NULL OFFSET 0) AS m
WHERE CASE m.source_type::text
        WHEN 'Project' THEN (SELECT n.traversal_ids[1] FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = m.source_id)
        ELSE (SELECT n.traversal_ids[1] FROM namespaces n WHERE n.id = m.source_id AND n.type::text = 'Group') END = g.traversal_ids[1]
ORDER BY m.id, s.id
LIMIT :limit::bigint
