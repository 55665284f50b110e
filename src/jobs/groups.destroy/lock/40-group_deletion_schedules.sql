-- Locks the mark for this step: it cannot be removed unseen. Fast by primary key.
SELECT s.group_id FROM group_deletion_schedules s WHERE s.group_id = ANY (:key::bigint[]) ORDER BY s.group_id FOR SHARE
