-- A schedule that is new or has changed begins now; an unchanged one keeps its next_at, so that
-- missed ticks are found. In the order of the names: processes that plant at once wait for each
-- other.
INSERT INTO pruned.schedules AS s (job, next_at, schedule)
SELECT p.job, p.next_at, p.schedule
FROM unnest(:job::text[], :next_at::timestamptz[], :schedule::text[]) AS p (job, next_at, schedule)
ORDER BY p.job
ON CONFLICT (job) DO UPDATE SET next_at = excluded.next_at, schedule = excluded.schedule
WHERE s.schedule IS DISTINCT FROM excluded.schedule
