-- Runs to read again: of each job that is read (`:job`), of those that have ended since `:since`
-- and that no process has read, the one that took most rows. A minute is looked at twice, as a run
-- is seen only after its end is committed. Fast by (job, finished_at).
SELECT DISTINCT ON (r.job) r.run_id, r.job, r.state, r.args, r.job_version,
       (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
       coalesce((SELECT pg_catalog.bool_or(v IS DISTINCT FROM r.job_version) FROM pg_catalog.jsonb_array_elements_text(r.result -> 'versions') AS v), false) AS earlier,
       true AS soon
FROM pruned.runs r
WHERE r.finished_at > coalesce(:since::timestamptz, now()) - interval '1 minute' AND r.state IN ('finished', 'dead') AND r.job = ANY (:job::text[]) AND r.range_of IS NULL
  AND r.rows_done > 0 AND coalesce(r.result ->> 'mode', '') <> 'plan'
  AND NOT EXISTS (SELECT FROM pruned.readings x WHERE x.run_id = r.run_id)
ORDER BY r.job, r.rows_done DESC
