-- Which of these schedules still exist although they should be deleted and no error was raised, and
-- which are gone although there is another membership to remove (`added`): it was committed while
-- the statement that deleted them waited. Fast by primary key.
SELECT s.id, t.id IS NULL AS gone, a.added
FROM unnest(:schedule::bigint[], :user::bigint[], :namespace::bigint[]) AS s (id, user_id, namespace_id)
LEFT JOIN members_deletion_schedules t ON t.id = s.id
CROSS JOIN LATERAL (
  SELECT
    -- include: added.sql
    AS added) AS a
WHERE s.id <> ALL (:aside::bigint[]) AND (t.id IS NOT NULL OR a.added)
ORDER BY s.id
