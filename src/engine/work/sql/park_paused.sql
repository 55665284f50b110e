-- Messages came for runs of a job that is paused or off, or while everything is stopped: the runs
-- wait, unpublished, until the job is resumed or on again, or the stop ends. `off`: they say so,
-- and are due in five seconds, because another process, where the job is on, may send them here
-- again. The error of a back-off stays readable behind the reason.
UPDATE pruned.runs r
SET state = 'waiting', changed_at = clock_timestamp(),
    due_at = CASE WHEN :off::boolean THEN greatest(r.due_at, clock_timestamp() + interval '5 s') ELSE r.due_at END,
    error = CASE WHEN NOT :off::boolean OR r.error LIKE 'mode off%' THEN r.error
                 ELSE 'mode off' || coalesce('; its last error: ' || CASE WHEN r.error LIKE 'quiet hours until %' OR r.error LIKE 'throttled: %'
                                                                       THEN nullif(pg_catalog.split_part(r.error, '; its last error: ', 2), '') ELSE r.error END, '') END
WHERE r.run_id = ANY (:run_id::uuid[])
