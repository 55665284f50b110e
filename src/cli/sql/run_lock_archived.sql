-- The same in the archive.
SELECT state, job, args, unique_key, result ->> 'status' AS status FROM pruned.runs_done WHERE run_id = :run_id::uuid FOR UPDATE
