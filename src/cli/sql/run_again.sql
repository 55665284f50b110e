-- A dead run begins its step again with all its attempts. It has no message yet: whoever owns its lane finds that out.
UPDATE pruned.runs
SET state = 'ready', attempts = 0, unique_key = :unique_key::text, error = NULL, due_at = now(), finished_at = NULL,
    published_at = NULL, changed_at = now()
WHERE run_id = :run_id::uuid
