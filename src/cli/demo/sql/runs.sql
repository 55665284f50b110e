-- The work by job: the number of runs and steps, the rows they changed, and the time from the first
-- start to the last end.
SELECT job, count(*) AS runs, pg_catalog.sum(step) AS steps, pg_catalog.sum((result ->> 'updated_rows')::bigint) AS updated_rows,
       nullif(pg_catalog.sum((result ->> 'kept')::bigint), 0) AS kept, nullif(pg_catalog.sum((result ->> 'failed')::bigint), 0) AS failed,
       pg_catalog.round(extract(epoch FROM pg_catalog.max(finished_at) - pg_catalog.min(started_at)), 1) AS seconds
FROM pruned.runs
WHERE state <> 'skipped'
GROUP BY job
ORDER BY job
