-- Ticks lie beyond the schedules' next times (a clock was ahead): planted again. A schedule
-- planted by another configuration is left alone, and so is one whose time has come meanwhile.
UPDATE pruned.schedules s SET next_at = p.next_at
FROM unnest(:job::text[], :next_at::timestamptz[], :schedule::text[]) AS p (job, next_at, schedule)
WHERE s.job = p.job AND s.schedule = p.schedule AND s.next_at > p.next_at AND p.next_at > clock_timestamp()
RETURNING s.job, (extract(epoch FROM s.next_at) * 1000000.0)::bigint AS next_at
