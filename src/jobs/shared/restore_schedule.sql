-- Removes the groups' marks, if they still exist. Fast by primary key.
DELETE FROM group_deletion_schedules s
USING pg_catalog.unnest(:key::bigint[]) AS k (id)
WHERE s.group_id = k.id
RETURNING s.group_id AS key, pg_catalog.to_jsonb(s.*) AS row
