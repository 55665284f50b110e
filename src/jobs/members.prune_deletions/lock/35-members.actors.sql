-- Locks the memberships that can give these users the right (rights.sql): they stay until the step
-- ends. Fast by (user_id, access_level).
SELECT m.id FROM members m
WHERE m.id IN (
  SELECT m.id
  FROM (SELECT DISTINCT s.scheduled_by_id AS id FROM members_deletion_schedules s
        WHERE s.id IN (SELECT a.schedule_id FROM unnest(:member::bigint[], :schedule::bigint[]) AS a (member_id, schedule_id)
                       WHERE a.member_id = ANY (:key::bigint[]))
          AND s.scheduled_by_id <> s.user_id) AS a,
  LATERAL (SELECT m.id FROM members m
           WHERE m.user_id = a.id AND m.requested_at IS NULL AND m.access_level >= 40 AND coalesce(m.state, 0) = 0 OFFSET 0) AS m)
ORDER BY m.id FOR SHARE
