-- The runs wait, unpublished, for the end of their job's quiet hours.
UPDATE pruned.runs r
SET state = 'waiting', due_at = :until::timestamptz, error = 'quiet hours until ' || :until::text, error_class = NULL, published_at = NULL,
    changed_at = clock_timestamp()
WHERE r.run_id = ANY (:run_id::uuid[])
