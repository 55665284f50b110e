-- The runs that a run has started, by job and state. A child's T is its parent's, so one day of the
-- archive is read.
SELECT c.job, c.state, count(*) AS runs
FROM (SELECT job, state FROM pruned.runs WHERE parent_id = :run_id::uuid
      UNION ALL
      SELECT job, state FROM pruned.runs_done WHERE parent_id = :run_id::uuid AND scheduled_at = :scheduled_at::timestamptz) AS c
GROUP BY c.job, c.state
ORDER BY c.job, c.state
