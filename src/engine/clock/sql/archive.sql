-- Ended runs older than an hour move to the archive, a thousand at a time, oldest first by the
-- index on finished_at. An hour is longer than any transaction, so no intake can have missed them.
-- A run that has not got what its ranges have done stays (ranges_left.sql). Ids of events are kept
-- for longer.
WITH old AS MATERIALIZED (
  SELECT r.run_id FROM pruned.runs r
  WHERE r.finished_at IS NOT NULL AND r.finished_at < now() - interval '1 hour' AND r.state || '' IN ('finished', 'skipped') AND r.range_of IS NULL
    AND NOT EXISTS (SELECT FROM pruned.runs g WHERE g.range_of = r.run_id)
  ORDER BY r.finished_at
  LIMIT 1000
  FOR UPDATE SKIP LOCKED),
moved AS (DELETE FROM pruned.runs r WHERE r.run_id = ANY (ARRAY(SELECT run_id FROM old)) RETURNING r.*),
put AS (
  INSERT INTO pruned.runs_done (parent_id, run_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at,
                                finished_at, step, attempts, slot, state, job, unique_key, args, context, cursor, progress, result, error, error_class,
                                rows_done, rows_counted, rows_limit, held, approved_at, approved_until, approved_rows, approved_reason, job_version, named_table)
  SELECT parent_id, run_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at,
         finished_at, step, attempts, slot, state, job, unique_key, args, context, cursor, progress, result, error, error_class,
         rows_done, rows_counted, rows_limit, held, approved_at, approved_until, approved_rows, approved_reason, job_version, named_table
  FROM moved
  ON CONFLICT DO NOTHING),
remembered AS (
  INSERT INTO pruned.event_ids (run_id) SELECT run_id FROM moved WHERE parent_id IS NULL ON CONFLICT DO NOTHING)
SELECT count(*) = 1000 AS more FROM old
