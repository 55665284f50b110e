-- Runs to read again: of each job that is read (`:job`), of those that have ended since `:since`
-- and that no process has read, the one that took most rows. A minute is looked at twice, as a run
-- is seen only after its end is committed. Also runs whose reading was begun and has not ended
-- (readings_claim.sql). A run that took no row is read once an hour, of the jobs `:without_rows`:
-- rows that are due can be left. Fast by (job, finished_at), by run_id, and by an index of what has
-- not ended.
SELECT DISTINCT ON (r.job) r.run_id, r.job, r.state, r.args, r.job_version,
       (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
       coalesce((SELECT pg_catalog.bool_or(v IS DISTINCT FROM r.job_version) FROM pg_catalog.jsonb_array_elements_text(r.result -> 'versions') AS v), false) AS earlier,
       true AS soon
FROM pruned.runs r
WHERE (r.finished_at > coalesce(:since::timestamptz, now()) - interval '1 minute'
       OR r.run_id = ANY (ARRAY(SELECT x.run_id FROM pruned.readings x WHERE x.read IS NULL AND x.at < now() - interval '10 minutes')))
  AND r.state IN ('finished', 'dead') AND r.job = ANY (:job::text[]) AND r.range_of IS NULL
  AND (r.rows_done > 0 OR r.state = 'finished' AND r.job = ANY (:without_rows::text[])
                          AND NOT EXISTS (SELECT FROM pruned.readings x WHERE x.job = r.job AND x.at > now() - interval '1 hour'))
  AND coalesce(r.result ->> 'mode', '') <> 'plan'
  AND NOT EXISTS (SELECT FROM pruned.readings x WHERE x.run_id = r.run_id AND (x.read IS NOT NULL OR x.at >= now() - interval '10 minutes'))
ORDER BY r.job, r.rows_done DESC NULLS LAST
