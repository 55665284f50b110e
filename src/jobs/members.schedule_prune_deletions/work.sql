-- Whether a schedule is due, and whether a run is already handling schedules. `schedules` counts up
-- to 1000. Fast because it stops at the thousandth, by primary key and the unique keys of
-- quarantine and runs.
WITH
-- include: ../shared/schedules_left.sql
SELECT count(*) AS schedules,
       EXISTS (SELECT FROM pruned.runs r WHERE r.unique_key = 'members.prune_deletions') AS running
FROM (SELECT FROM schedule_left LIMIT 1000) AS l
