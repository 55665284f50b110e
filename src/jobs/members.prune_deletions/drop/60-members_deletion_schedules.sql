-- Deletes schedules without removable memberships. Fast by primary key.
DELETE FROM members_deletion_schedules s
WHERE s.id = ANY (:schedule::bigint[])
RETURNING s.id AS key, pg_catalog.to_jsonb(s.*) AS row
