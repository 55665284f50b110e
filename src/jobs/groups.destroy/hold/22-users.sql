-- Locks the user who marked the group: until this step has ended they stay active, and an
-- administrator if they are one. Fast by primary keys.
SELECT u.id FROM users u
WHERE u.id IN (SELECT s.user_id FROM group_deletion_schedules s WHERE s.group_id = :top::bigint)
FOR SHARE
