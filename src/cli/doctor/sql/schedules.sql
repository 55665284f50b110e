-- The time of each job's next tick, and the schedule that it was computed from.
SELECT s.job, s.schedule, s.next_at,
       CASE WHEN pg_catalog.isfinite(s.next_at) THEN (extract(epoch FROM s.next_at) * 1000000.0)::bigint ELSE 9223372036854775807 END AS next_us,
       (extract(epoch FROM clock_timestamp()) * 1000000.0)::bigint AS now_us
FROM pruned.schedules s
ORDER BY s.job
