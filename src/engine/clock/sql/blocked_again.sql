-- The blocked run continues where it stopped.
UPDATE pruned.runs r
SET state = 'waiting', step = r.step + 1, attempts = 0, unique_key = :unique_key::text, result = r.result - 'status' - 'reason',
    error = NULL, error_class = NULL, rows_counted = NULL, rows_limit = NULL, due_at = now(), finished_at = NULL, published_at = NULL, changed_at = clock_timestamp()
WHERE r.run_id = :run_id::uuid AND r.state || '' = 'finished' AND r.result ->> 'status' = 'blocked'
  AND (:unique_key::text IS NULL OR NOT EXISTS (SELECT FROM pruned.runs h WHERE h.unique_key = :unique_key::text))
RETURNING r.run_id
