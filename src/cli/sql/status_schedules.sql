-- The time of each job's next tick.
SELECT job, next_at FROM pruned.schedules ORDER BY next_at, job
