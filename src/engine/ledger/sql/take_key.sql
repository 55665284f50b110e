-- Due runs take their key, or are skipped, or wait for another second.
UPDATE pruned.runs r
SET state = u.state, unique_key = u.unique_key, error = u.error, attempts = u.attempts,
    due_at = CASE WHEN u.state = 'waiting' THEN clock_timestamp() + interval '1 s' ELSE r.due_at END,
    published_at = CASE WHEN u.state = 'ready' THEN clock_timestamp() END, changed_at = clock_timestamp(),
    finished_at = CASE WHEN u.state = 'skipped' THEN clock_timestamp() END
FROM unnest(:run_id::uuid[], :state::text[], :unique_key::text[], :error::text[], :attempts::int[])
     AS u (run_id, state, unique_key, error, attempts)
WHERE r.run_id = u.run_id
