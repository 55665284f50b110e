-- Runs that began with a version of their job that this process does not have wait for one that has
-- it, or for an operator.
UPDATE pruned.runs r
SET state = 'waiting', error = u.error, error_class = 'version', published_at = NULL,
    due_at = clock_timestamp() + interval '1 minute', changed_at = clock_timestamp()
FROM unnest(:run_id::uuid[], :error::text[]) AS u (run_id, error)
WHERE r.run_id = u.run_id
