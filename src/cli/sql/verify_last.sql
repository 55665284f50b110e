-- The last run of a job that has taken rows. By the archive's days backwards: newest first.
SELECT r.run_id::text AS run_id FROM (
  SELECT run_id, finished_at FROM pruned.runs WHERE job = :job::text AND finished_at IS NOT NULL AND (result ->> 'updated_rows')::bigint > 0
  UNION ALL
  SELECT run_id, finished_at FROM pruned.runs_done WHERE job = :job::text AND finished_at IS NOT NULL AND (result ->> 'updated_rows')::bigint > 0) AS r
ORDER BY r.finished_at DESC LIMIT 1
