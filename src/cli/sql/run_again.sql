-- A dead run begins its step again with all its attempts; one that ended blocked goes on as the next step, so that its end is another one. It has no message yet: whoever owns its lane finds that out.
UPDATE pruned.runs
SET state = 'ready', attempts = 0, step = step + (state = 'finished')::int,
    result = CASE WHEN state = 'finished' THEN result - 'status' - 'reason' ELSE result END, unique_key = :unique_key::text, error = NULL, due_at = now(), finished_at = NULL,
    published_at = NULL, changed_at = now()
WHERE run_id = :run_id::uuid
