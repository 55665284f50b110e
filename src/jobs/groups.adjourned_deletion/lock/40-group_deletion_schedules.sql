-- Locks the marks by id. A step that destroys one of these groups has ended when this job decides.
-- Fast by primary key.
SELECT s.group_id FROM group_deletion_schedules s WHERE s.group_id = ANY (:key::bigint[]) ORDER BY s.group_id FOR UPDATE
