-- The runs wait, unpublished, for the end of their job's quiet hours. The error of a back-off stays
-- readable behind the reason, and keeps its class.
UPDATE pruned.runs r
SET state = 'waiting', due_at = :until::timestamptz, published_at = NULL, changed_at = clock_timestamp(),
    error = 'quiet hours until ' || :until::text
            || coalesce('; its last error: ' || CASE WHEN r.error LIKE 'quiet hours until %' OR r.error LIKE 'throttled: %' OR r.error LIKE 'mode off%'
                                                  THEN nullif(pg_catalog.split_part(r.error, '; its last error: ', 2), '') ELSE r.error END, '')
WHERE r.run_id = ANY (:run_id::uuid[])
