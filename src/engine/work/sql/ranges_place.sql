-- The rows of a run's ranges, ready in their lanes. An approval of the run counts for them.
INSERT INTO pruned.runs (run_id, range_of, scheduled_at, due_at, started_at, published_at, step, slot, state, job, unique_key, args, context,
                         cursor, progress, rows_counted, job_version, approved_at, approved_until, approved_rows, approved_reason)
SELECT u.range_id, r.run_id, r.scheduled_at, now(), now(), clock_timestamp(), u.step, u.slot, 'ready', r.job,
       'range ' || u.range_id::text, r.args, r.context, u.cursor, u.progress, 0, :version::text,
       r.approved_at, r.approved_until, r.approved_rows, r.approved_reason
FROM pruned.runs r
CROSS JOIN unnest(:range_id::uuid[], :step::int[], :slot::int[], :cursor::jsonb[], :progress::jsonb[]) AS u (range_id, step, slot, cursor, progress)
WHERE r.run_id = :run_id::uuid
RETURNING run_id
