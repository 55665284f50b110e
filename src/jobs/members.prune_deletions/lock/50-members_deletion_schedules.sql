-- Locks the schedules of these memberships, so that one that is withdrawn meanwhile is seen, and
-- one that another session holds stops no other. Fast by primary key.
SELECT s.id FROM members_deletion_schedules s
WHERE s.id = ANY (ARRAY(SELECT a.schedule_id FROM unnest(:member::bigint[], :schedule::bigint[]) AS a (member_id, schedule_id)
                        WHERE a.member_id = ANY (:key::bigint[])))
ORDER BY s.id FOR UPDATE
