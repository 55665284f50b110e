-- Which of these schedules still exist although they should be deleted and no error was raised.
-- `added`: because there is another membership to remove. Fast by primary key.
SELECT s.id,
       -- include: added.sql
       AS added
FROM members_deletion_schedules s
WHERE s.id = ANY (:schedule::bigint[]) AND s.id <> ALL (:aside::bigint[])
ORDER BY s.id
