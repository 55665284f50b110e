-- How long until the next tick, in microseconds; null: nothing is scheduled.
SELECT CASE WHEN w.at IS NOT NULL AND w.at < 'infinity'
            THEN greatest(0, extract(epoch FROM w.at - clock_timestamp()) * 1000000.0)::bigint END AS wait
FROM (SELECT pg_catalog.min(s.next_at) AS at FROM pruned.schedules s WHERE s.job = ANY (:job::text[])) AS w
