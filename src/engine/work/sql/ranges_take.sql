-- The run takes its ranges in, in their order: it has what they have done from now on.
WITH taken AS (DELETE FROM pruned.runs WHERE range_of = :run_id::uuid RETURNING *)
SELECT t.run_id, t.job, t.state, t.step, t.attempts, t.slot, t.args, t.cursor, t.progress, t.result, t.job_version, coalesce(t.rows_done, 0) AS rows_done,
       0::bigint AS scheduled_at, 0::bigint AS due_at
FROM taken t
ORDER BY t.step
