-- The built-in jobs `:job` that a running process has left out, and those of `:absent`, which lack
-- a table, that have been in force in this database; then there is no process. A process that was
-- told which jobs to take leaves none out. A row of an older schema has no such columns.
SELECT j.job, pg_catalog.min(p.host || ' ' || p.pid::text) AS process
FROM pg_catalog.unnest(:job::text[]) AS j (job)
JOIN pruned.processes p ON p.seen_at > now() - :seconds::int::float8 * interval '1 second' AND NOT p.jobs ? j.job
CROSS JOIN LATERAL (SELECT pg_catalog.to_jsonb(p.*) -> 'shared' AS shared) AS s
WHERE s.shared ->> 'run.jobs' = ''
GROUP BY j.job
UNION ALL
SELECT s.job, NULL FROM pruned.job_states s WHERE s.job = ANY (:absent::text[])
ORDER BY 1
