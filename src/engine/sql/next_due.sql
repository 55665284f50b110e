-- How long until the next waiting run is due, in microseconds; null: none waits. The first row of the partial index.
SELECT CASE WHEN w.at IS NOT NULL
            THEN greatest(0, extract(epoch FROM w.at - clock_timestamp()) * 1000000)::bigint END AS wait
FROM (SELECT min(r.due_at) AS at FROM pruned.runs r WHERE r.state = 'waiting' AND r.due_at > now()) AS w
