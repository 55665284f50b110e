-- The day on which the group was marked: it makes the group due, and all that is below it.
SELECT s.marked_for_deletion_on::text AS value, 1 AS rows
FROM group_deletion_schedules s WHERE s.group_id = (:args::jsonb ->> 'group_id')::bigint LIMIT :limit::int
