-- Whether any schedule is due, except those that have just failed, and those that the run has put
-- off to its end because other sessions hold them.
WITH
-- include: ../shared/schedules_left.sql
SELECT EXISTS (SELECT FROM schedule_left WHERE id <> ALL (:aside::bigint[])) AS left
