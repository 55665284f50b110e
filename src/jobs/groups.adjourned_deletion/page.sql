-- Groups whose grace period is over, by id. Fast because the mark's primary key is the group's id.
-- Marks are few, and only those of the last days are skipped.
SELECT s.group_id AS key, s.group_id AS id
FROM group_deletion_schedules s
WHERE s.group_id > :cursor.id::bigint
  AND s.marked_for_deletion_on <=
  -- include: ../shared/group_cutoff.sql
  AND EXISTS (SELECT FROM namespaces n WHERE n.id = s.group_id AND n.type::text = 'Group')
ORDER BY s.group_id
LIMIT :limit::int
