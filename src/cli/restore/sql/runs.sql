-- The run, with all its descendants if they are wanted, and the jobs of its ancestors (`above`),
-- which could remove the restored rows again. A child's T is its parent's, so one day of the
-- archive is read. `effective`: its result counts more changed rows than the runs that it started
-- (scheduling a group counts as one). `earlier`: the versions of its job that it had before `pruned
-- retry`. `begun`: a step of it that was not the last has ended.
WITH RECURSIVE found AS MATERIALIZED (
  SELECT run_id, parent_id, job, state, scheduled_at, started_at, result, step, job_version, context FROM pruned.runs WHERE run_id = :run_id::uuid
  UNION ALL
  SELECT run_id, parent_id, job, state, scheduled_at, started_at, result, step, job_version, context FROM pruned.runs_done WHERE run_id = :run_id::uuid
),
below AS (
  SELECT f.* FROM found f
  UNION ALL
  SELECT c.* FROM below b CROSS JOIN LATERAL (
    SELECT run_id, parent_id, job, state, scheduled_at, started_at, result, step, job_version, context FROM pruned.runs WHERE parent_id = b.run_id
    UNION ALL
    SELECT run_id, parent_id, job, state, scheduled_at, started_at, result, step, job_version, context FROM pruned.runs_done
    WHERE parent_id = b.run_id AND scheduled_at = b.scheduled_at) AS c
  WHERE :with_children::boolean
),
above AS (
  SELECT p.* FROM found f CROSS JOIN LATERAL (
    SELECT run_id, parent_id, job, scheduled_at FROM pruned.runs WHERE run_id = f.parent_id
    UNION ALL
    SELECT run_id, parent_id, job, scheduled_at FROM pruned.runs_done WHERE run_id = f.parent_id AND scheduled_at = f.scheduled_at) AS p
  UNION ALL
  SELECT p.* FROM above a CROSS JOIN LATERAL (
    SELECT run_id, parent_id, job, scheduled_at FROM pruned.runs WHERE run_id = a.parent_id
    UNION ALL
    SELECT run_id, parent_id, job, scheduled_at FROM pruned.runs_done WHERE run_id = a.parent_id AND scheduled_at = a.scheduled_at) AS p
)
SELECT b.run_id, b.job, b.state, coalesce(b.job_version, b.result -> 'versions' ->> -1) AS job_version,
       (SELECT pg_catalog.string_agg(v, ', ') FROM pg_catalog.jsonb_array_elements_text(b.result -> 'versions') v WHERE v IS DISTINCT FROM b.job_version) AS earlier,
       b.step > 0 AS begun, false AS above, coalesce((b.result ->> 'updated_rows')::bigint, 0) > c.n AS effective,
       CASE WHEN :with_children::boolean THEN 0 ELSE c.n END AS children,
       (extract(epoch FROM b.scheduled_at) * 1000000.0)::bigint AS scheduled_at, b.context
FROM below b CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM pruned.runs WHERE parent_id = b.run_id)
       + (SELECT count(*) FROM pruned.runs_done WHERE parent_id = b.run_id AND scheduled_at = b.scheduled_at) AS n) AS c
UNION ALL
SELECT run_id, job, NULL, NULL, NULL, true, true, false, 0, 0, NULL FROM above
