-- Runs of a filter that can be retried (dead, blocked, or waiting for a retry), or discarded (dead,
-- or not ended). Oldest first. In the archive only blocked runs can be retried, and none discarded.
SELECT c.run_id
FROM (
  SELECT r.run_id, r.job, r.state, r.error, r.error_class, r.result, r.created_at
  FROM pruned.runs r
  WHERE CASE WHEN :retry::boolean
             THEN r.state = 'dead' OR (r.state = 'finished' AND r.result ->> 'status' = 'blocked')
                  OR (r.state = 'waiting' AND (r.error IS NOT NULL OR (r.attempts > 0 AND r.step = 0)))
             ELSE r.state IN ('waiting', 'ready', 'held', 'dead') END
    AND r.range_of IS NULL
  UNION ALL
  SELECT d.run_id, d.job, d.state, d.error, d.error_class, d.result, d.created_at
  FROM pruned.runs_done d
  WHERE :retry::boolean AND d.state = 'finished' AND d.result ->> 'status' = 'blocked') AS c
WHERE (:job::text IS NULL OR c.job = :job::text)
  AND (:state::text IS NULL OR c.state = :state::text
       OR :state::text = 'blocked' AND (c.state = 'waiting' AND c.error LIKE 'blocked: %' OR c.result ->> 'status' = 'blocked'))
  AND (:error_class::text IS NULL OR c.error_class = :error_class::text)
  AND (:since::timestamptz IS NULL OR c.created_at >= :since::timestamptz)
ORDER BY c.created_at, c.run_id
