-- Moves a run from the archive back to the table, so that it can be retried.
WITH back AS (DELETE FROM pruned.runs_done WHERE run_id = :run_id::uuid RETURNING *)
INSERT INTO pruned.runs (run_id, parent_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at,
                         finished_at, step, attempts, slot, state, job, unique_key, args, context, cursor, progress, result, error, error_class,
                         rows_done, rows_counted, rows_limit, held, approved_at, approved_until, approved_rows, approved_reason, job_version, named_table)
SELECT run_id, parent_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at, finished_at, step,
       attempts, slot, state, job, unique_key, args, context, cursor, progress, result, error, error_class,
         rows_done, rows_counted, rows_limit, held, approved_at, approved_until, approved_rows, approved_reason, job_version, named_table
FROM back
