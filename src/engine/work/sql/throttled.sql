-- A threshold of [throttle] is passed: the runs wait, unpublished, and say why. The error of a
-- back-off stays readable behind the reason, and keeps its class.
UPDATE pruned.runs r
SET state = 'waiting', due_at = clock_timestamp() + :delay_ms::bigint::float8 * interval '1 ms', published_at = NULL, changed_at = clock_timestamp(),
    error = :error::text
            || coalesce('; its last error: ' || CASE WHEN r.error LIKE 'quiet hours until %' OR r.error LIKE 'throttled: %' OR r.error LIKE 'mode off%'
                                                  THEN nullif(pg_catalog.split_part(r.error, '; its last error: ', 2), '') ELSE r.error END, '')
WHERE r.run_id = ANY (:run_id::uuid[])
