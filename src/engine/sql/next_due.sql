-- How long until the next waiting run is due, in microseconds (the first row of the partial index).
SELECT greatest(0, (extract(epoch FROM min(r.due_at) - clock_timestamp()) * 1000000))::bigint AS wait
FROM pruned.runs r
WHERE r.state = 'waiting' AND r.due_at > now()
