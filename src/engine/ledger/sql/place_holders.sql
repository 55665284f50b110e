-- The holders that no process is stepping, and whether they only wait for a retry (not for the end
-- of quiet hours, for a threshold of [throttle], or for their job to be on). A holder that is being
-- stepped is not returned: it is not known yet whether it ends.
SELECT h.run_id, h.attempts,
       h.state = 'waiting' AND h.error IS NOT NULL AND h.error NOT LIKE 'quiet hours%' AND h.error NOT LIKE 'throttled: %' AND h.error NOT LIKE 'mode off%' AS retrying
FROM pruned.runs h
WHERE h.run_id = ANY (:run_id::uuid[]) AND h.unique_key IS NOT NULL
ORDER BY h.unique_key, h.run_id
FOR NO KEY UPDATE SKIP LOCKED
