-- Runs that wait for a threshold of [throttle], by job.
SELECT r.job, pg_catalog.count(DISTINCT coalesce(r.range_of, r.run_id)) AS runs, pg_catalog.substr(pg_catalog.max(r.error), pg_catalog.length('throttled: ') + 1) AS reason
FROM pruned.runs r
WHERE r.state = 'waiting' AND r.error LIKE 'throttled: %'
GROUP BY r.job
ORDER BY r.job
