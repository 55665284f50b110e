-- The jobs that running processes have, with the most lanes of each. A process that was killed, or
-- that has just lost a job, counts for up to half a minute.
SELECT j.key AS job, pg_catalog.max(CASE WHEN j.value ->> 'capacity' ~ '^[1-9][0-9]{0,4}$' THEN (j.value ->> 'capacity')::int ELSE 1 END) AS capacity
FROM pruned.processes p CROSS JOIN LATERAL pg_catalog.jsonb_each(p.jobs) AS j
WHERE p.seen_at > now() - interval '30 s'
GROUP BY j.key
