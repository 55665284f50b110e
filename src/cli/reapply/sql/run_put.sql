-- A run of the job that takes erased rows again. It is due at once; its first step holds it,
-- because it needs an approval. `before`: an earlier one has not ended (its state), and there is no
-- other.
WITH open AS (SELECT r.run_id, r.state FROM pruned.runs r WHERE r.unique_key = :unique_key::text),
put AS (
  INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, slot, unique_key, args)
  SELECT :run_id::uuid, :scheduled_at::timestamptz, now(), 'waiting', :job::text, :slot::int, :unique_key::text, :args::jsonb
  WHERE NOT EXISTS (SELECT FROM open)
  RETURNING run_id)
SELECT run_id, NULL::text AS before FROM put UNION ALL SELECT run_id, state FROM open
