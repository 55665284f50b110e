-- The holders that nobody is stepping just now, and whether they only wait for a retry. A holder that is being stepped
-- is not returned: whether it ends is not known yet.
SELECT h.run_id, h.attempts, h.state = 'waiting' AND h.error IS NOT NULL AS retrying
FROM pruned.runs h
WHERE h.run_id = ANY (:run_id::uuid[]) AND h.unique_key IS NOT NULL
ORDER BY h.unique_key, h.run_id
FOR NO KEY UPDATE SKIP LOCKED
