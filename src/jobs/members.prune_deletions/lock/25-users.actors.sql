-- Locks the users who have set the schedules: they stay active, and administrators, until the step
-- ends, whatever it waits for. Fast by primary keys.
SELECT u.id FROM users u
WHERE u.id IN (
  SELECT s.scheduled_by_id FROM members_deletion_schedules s
  WHERE s.id IN (SELECT a.schedule_id FROM unnest(:member::bigint[], :schedule::bigint[]) AS a (member_id, schedule_id)
                 WHERE a.member_id = ANY (:key::bigint[])))
ORDER BY u.id FOR SHARE
