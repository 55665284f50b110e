-- Runs that wait although they are due, because their job is off, say so. The error of a back-off
-- stays readable behind the reason.
UPDATE pruned.runs r
SET error = 'mode off' || coalesce('; its last error: ' || CASE WHEN r.error LIKE 'quiet hours until %' OR r.error LIKE 'throttled: %'
                                                            THEN nullif(pg_catalog.split_part(r.error, '; its last error: ', 2), '') ELSE r.error END, ''),
    changed_at = clock_timestamp()
WHERE r.run_id IN (SELECT w.run_id FROM pruned.runs w
                   WHERE w.state = 'waiting' AND w.due_at <= now() AND w.job = ANY (:off::text[]) AND (w.error IS NULL OR w.error NOT LIKE 'mode off%')
                   LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED)
