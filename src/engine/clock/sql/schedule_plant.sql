-- A schedule that is new or has changed begins anew; one that is known stays, and with it what was missed.
INSERT INTO pruned.schedules AS s (job, next_at, schedule)
VALUES (:job::text, :next_at::timestamptz, :schedule::text)
ON CONFLICT (job) DO UPDATE SET next_at = excluded.next_at, schedule = excluded.schedule
WHERE s.schedule IS DISTINCT FROM excluded.schedule
