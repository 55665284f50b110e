-- Runs of a filter that can be retried (dead, blocked, or waiting for a retry), or discarded (dead, or not ended). Oldest first.
SELECT r.run_id
FROM pruned.runs r
WHERE CASE WHEN :retry::boolean
           THEN r.state = 'dead' OR (r.state = 'finished' AND r.result ->> 'status' = 'blocked')
                OR (r.state = 'waiting' AND (r.error IS NOT NULL OR (r.attempts > 0 AND r.step = 0)))
           ELSE r.state IN ('waiting', 'ready', 'held', 'dead') END
  AND (:job::text IS NULL OR r.job = :job::text)
  AND (:state::text IS NULL OR r.state = :state::text
       OR :state::text = 'blocked' AND (r.state = 'waiting' AND r.error LIKE 'blocked: %' OR r.result ->> 'status' = 'blocked'))
  AND (:error_class::text IS NULL OR r.error_class = :error_class::text)
  AND (:since::timestamptz IS NULL OR r.created_at >= :since::timestamptz)
ORDER BY r.created_at, r.run_id
