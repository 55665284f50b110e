-- When each job last succeeded, of the runs that ended in the last MINUTES (older than an hour they
-- are archived). Also inserts jobs that have never succeeded.
WITH ended AS MATERIALIZED (
  SELECT r.job, pg_catalog.max(r.finished_at) AS at FROM pruned.runs r
  WHERE r.finished_at > now() - :minutes::int::float8 * interval '1 minute' AND r.state || '' = 'finished' AND r.range_of IS NULL
    AND coalesce(r.result ->> 'status', '') NOT IN ('blocked', 'failed')
  GROUP BY r.job)
INSERT INTO pruned.job_states AS s (job, last_success_at)
SELECT j.job, e.at FROM pg_catalog.unnest(:job::text[]) AS j (job) LEFT JOIN ended e ON e.job = j.job
ORDER BY j.job
ON CONFLICT (job) DO UPDATE SET last_success_at = excluded.last_success_at
WHERE excluded.last_success_at > coalesce(s.last_success_at, '-infinity')
