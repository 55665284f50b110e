-- The ids of the newest hundred runs, of table and archive. Each of the two is limited before they
-- are combined.
SELECT u.run_id AS name FROM (
  (SELECT run_id, created_at FROM pruned.runs WHERE range_of IS NULL ORDER BY created_at DESC, run_id DESC LIMIT 100)
  UNION ALL
  (SELECT run_id, created_at FROM pruned.runs_done ORDER BY created_at DESC, run_id DESC LIMIT 100)) AS u
ORDER BY u.created_at DESC, u.run_id DESC LIMIT 100
