-- How long until the next tick, in microseconds.
SELECT greatest(0, extract(epoch FROM min(s.next_at) - clock_timestamp()) * 1000000)::bigint AS wait
FROM pruned.schedules s WHERE s.job = ANY (:job::text[])
