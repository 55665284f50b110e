-- The run to read again. `earlier`: other versions of its job have done some of its steps. `soon`:
-- it has ended so lately that rows of the application are as it found them, but for what the
-- application has written in these minutes.
SELECT r.run_id, r.job, r.state, r.args, r.job_version,
       (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
       coalesce((SELECT pg_catalog.bool_or(v IS DISTINCT FROM r.job_version) FROM pg_catalog.jsonb_array_elements_text(r.result -> 'versions') AS v), false) AS earlier,
       coalesce(r.finished_at > now() - interval '10 minutes', true) AS soon
FROM (
  SELECT run_id, job, state, args, job_version, scheduled_at, finished_at, result FROM pruned.runs WHERE run_id = :run_id::uuid
  UNION ALL
  SELECT run_id, job, state, args, job_version, scheduled_at, finished_at, result FROM pruned.runs_done WHERE run_id = :run_id::uuid) AS r
LIMIT 1
