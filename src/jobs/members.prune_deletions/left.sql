-- Whether any schedule is due, except those that have just failed.
WITH
-- include: ../shared/schedules_left.sql
SELECT EXISTS (SELECT FROM schedule_left WHERE id <> ALL (:failed::bigint[])) AS left
