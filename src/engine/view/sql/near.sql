-- How near the runs of `:job` were to limits of rows since `:since`: the most rows of one run, and
-- of the runs that ended within one day before any of them. By the indexes on (job, finished_at).
WITH ended AS MATERIALIZED (
  SELECT r.run_id, r.finished_at, r.rows_done FROM pruned.runs r WHERE r.job = :job::text AND r.finished_at >= :since::timestamptz AND r.rows_done > 0
  UNION ALL
  SELECT d.run_id, d.finished_at, d.rows_done FROM pruned.runs_done d WHERE d.job = :job::text AND d.finished_at >= :since::timestamptz AND d.rows_done > 0),
days AS (
  SELECT e.run_id, e.rows_done,
         pg_catalog.sum(e.rows_done) OVER (ORDER BY e.finished_at RANGE BETWEEN interval '1 day' PRECEDING AND CURRENT ROW)::bigint AS of_day
  FROM ended e)
SELECT pg_catalog.max(d.rows_done) AS of_run, (pg_catalog.array_agg(d.run_id ORDER BY d.rows_done DESC, d.run_id))[1] AS run_id, pg_catalog.max(d.of_day) AS of_day,
       (pg_catalog.array_agg(d.run_id ORDER BY d.of_day DESC, d.run_id))[1] AS day_run_id
FROM days d
