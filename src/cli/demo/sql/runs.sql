-- The work by job: how many runs and steps, what they did, how long it took from the first start to the last end.
SELECT job, count(*) AS runs, sum(step) AS steps, sum((result ->> 'updated_rows')::bigint) AS updated_rows,
       nullif(sum((result ->> 'kept')::bigint), 0) AS kept, nullif(sum((result ->> 'failed')::bigint), 0) AS failed,
       round(extract(epoch FROM max(finished_at) - min(started_at)), 1) AS seconds
FROM pruned.runs
WHERE state <> 'skipped'
GROUP BY job
ORDER BY job
