-- Locks the run until the transaction ends, and reads its state. An archived run is changed by
-- commands only. `approved`: the approval has not ended before the run has.
SELECT run_id, state, step, job, args, unique_key, (extract(epoch FROM scheduled_at) * 1000000.0)::bigint AS scheduled_at, due_at,
       result ->> 'status' AS status, approved_at IS NOT NULL AND (finished_at IS NOT NULL OR coalesce(approved_until > now() AND approved_until < now() + interval '25 hours', false)) AS approved,
       held ->> 'version' AS counted_version, held ->> 'counted' AS counted, named_table, context
FROM pruned.runs WHERE run_id = :run_id::uuid AND range_of IS NULL FOR UPDATE
