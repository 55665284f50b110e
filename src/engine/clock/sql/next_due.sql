-- How long until the next waiting run is due, in microseconds; no row: none waits. The first row of
-- the partial index, which min() would read to its end if the plan was made while nothing waited.
SELECT greatest(0, extract(epoch FROM r.due_at - clock_timestamp()) * 1000000.0)::bigint AS wait
FROM pruned.runs r
WHERE r.state = 'waiting' AND r.due_at > now()
ORDER BY r.due_at
LIMIT 1
