-- The run as it is now, held until the end of the transaction. An archived one does not change any more but by hand.
SELECT state, step, job, args, unique_key, (extract(epoch FROM scheduled_at) * 1000000)::bigint AS scheduled_at, due_at,
       result ->> 'status' AS status
FROM pruned.runs WHERE run_id = :run_id::uuid FOR UPDATE
