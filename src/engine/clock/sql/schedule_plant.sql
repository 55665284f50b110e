-- A schedule that is new or has changed begins now; an unchanged one keeps its next_at, so that
-- missed ticks are found.
INSERT INTO pruned.schedules AS s (job, next_at, schedule)
VALUES (:job::text, :next_at::timestamptz, :schedule::text)
ON CONFLICT (job) DO UPDATE SET next_at = excluded.next_at, schedule = excluded.schedule
WHERE s.schedule IS DISTINCT FROM excluded.schedule
