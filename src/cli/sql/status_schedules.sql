-- When each job is ticked next.
SELECT job, next_at FROM pruned.schedules ORDER BY next_at, job
