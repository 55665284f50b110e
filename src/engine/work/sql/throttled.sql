-- A threshold of [throttle] is passed: the runs wait, unpublished, and say why.
UPDATE pruned.runs r
SET state = 'waiting', due_at = clock_timestamp() + :delay_ms::bigint * interval '1 ms', error = :error::text, error_class = NULL, published_at = NULL,
    changed_at = clock_timestamp()
WHERE r.run_id = ANY (:run_id::uuid[])
