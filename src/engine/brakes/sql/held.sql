-- The run is held. An approval that it had is spent; after the next approval it is counted again.
UPDATE pruned.runs r
SET held = :held::jsonb, rows_counted = NULL, rows_limit = NULL, approved_at = NULL, approved_until = NULL, approved_rows = NULL,
    approved_reason = NULL, job_version = coalesce(:held::jsonb ->> 'version', r.job_version)
WHERE r.run_id = :run_id::uuid
RETURNING r.run_id
