-- The same in the archive.
SELECT run_id, state, step, job, args, unique_key, (extract(epoch FROM scheduled_at) * 1000000.0)::bigint AS scheduled_at, due_at,
       result ->> 'status' AS status, approved_at IS NOT NULL AS approved, NULL AS counted, named_table, context
FROM pruned.runs_done WHERE run_id = :run_id::uuid FOR UPDATE
