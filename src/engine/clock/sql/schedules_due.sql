-- Jobs whose time has come.
SELECT s.job, (extract(epoch FROM s.next_at) * 1000000.0)::bigint AS next_at,
       (extract(epoch FROM clock_timestamp()) * 1000000.0)::bigint AS now,
       EXISTS (SELECT FROM pruned.runs r WHERE r.unique_key = s.job) AS running
FROM pruned.schedules s
WHERE s.next_at <= clock_timestamp() AND s.job = ANY (:job::text[])
