-- Deletes the memberships, if they are still the scheduled user's and the schedule stands. Fast by primary key.
DELETE FROM members m
USING unnest(:key::bigint[], :schedule_id::bigint[]) AS k (id, schedule_id)
WHERE m.id = k.id
  AND m.user_id = (SELECT s.user_id FROM members_deletion_schedules s WHERE s.id = k.schedule_id)
RETURNING m.id AS key, to_jsonb(m) AS row
