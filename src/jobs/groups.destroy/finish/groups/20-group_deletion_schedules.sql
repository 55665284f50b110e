-- Deletes the groups' own marks: their deletion is done. Fast by primary key.
DELETE FROM group_deletion_schedules s WHERE s.group_id = ANY (:group::bigint[])
RETURNING s.group_id AS key, pg_catalog.to_jsonb(s.*) AS row
