-- Deletes the memberships, if they are still the scheduled user's and the schedule still exists.
-- Fast by primary keys.
WITH schedule AS MATERIALIZED (
  SELECT s.id, s.user_id FROM members_deletion_schedules s
  WHERE s.id = ANY (ARRAY(SELECT DISTINCT pg_catalog.unnest(:schedule_id::bigint[])))
)
DELETE FROM members m
USING unnest(:key::bigint[], :schedule_id::bigint[]) AS k (id, schedule_id) JOIN schedule s ON s.id = k.schedule_id
WHERE m.id = k.id AND m.user_id = s.user_id
RETURNING m.id AS key, pg_catalog.to_jsonb(m.*) AS row
