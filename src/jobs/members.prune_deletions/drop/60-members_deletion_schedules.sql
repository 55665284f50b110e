-- Deletes schedules without removable memberships. One that the application has added meanwhile
-- keeps its schedule. Fast by primary key.
DELETE FROM members_deletion_schedules s
WHERE s.id = ANY (:schedule::bigint[]) AND NOT
  -- include: ../added.sql
RETURNING s.id AS key, pg_catalog.to_jsonb(s.*) AS row
