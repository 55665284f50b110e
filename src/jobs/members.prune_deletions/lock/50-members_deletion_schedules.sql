-- Locks the schedules, so that one that is withdrawn meanwhile is seen. Fast by primary key.
SELECT s.id FROM members_deletion_schedules s WHERE s.id = ANY (:schedule::bigint[]) ORDER BY s.id FOR UPDATE
