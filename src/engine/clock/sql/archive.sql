-- Ended runs move to the archive, a thousand at a time, oldest first by the index on finished_at.
-- Ids of events are kept for longer, and so is what a job has done in a day (pruned.nights,
-- pruned.night_counts).
WITH old AS MATERIALIZED (
  SELECT r.run_id FROM pruned.runs r
  WHERE
  -- include: archivable.sql
  ORDER BY r.finished_at
  LIMIT 1000
  FOR UPDATE SKIP LOCKED),
moved AS (DELETE FROM pruned.runs r WHERE r.run_id = ANY (ARRAY(SELECT run_id FROM old)) RETURNING r.*),
put AS (
  INSERT INTO pruned.runs_done (parent_id, run_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at,
                                finished_at, step, attempts, slot, state, job, unique_key, args, context, cursor, progress, result, error, error_class,
                                rows_done, rows_counted, rows_limit, held, approved_at, approved_until, approved_rows, approved_reason, job_version, named_table, seen)
  SELECT parent_id, run_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at,
         finished_at, step, attempts, slot, state, job, unique_key, args, context, cursor, progress, result, error, error_class,
         rows_done, rows_counted, rows_limit, held, approved_at, approved_until, approved_rows, approved_reason, job_version, named_table, seen
  FROM moved
  ON CONFLICT DO NOTHING),
ended AS (SELECT m.run_id, m.job, m.scheduled_at, m.finished_at, m.result, m.rows_done FROM moved m WHERE m.state = 'finished'),
noted AS (
  INSERT INTO pruned.nights AS n (day, job, runs, others, rows, failed, last_run_id, last_at, last_ended)
  -- include: ../../night/sql/nights.sql
  ORDER BY 1, 2
  ON CONFLICT (day, job) DO UPDATE
  SET runs = n.runs + excluded.runs, others = n.others + excluded.others, rows = n.rows + excluded.rows, failed = n.failed + excluded.failed,
      last_run_id = CASE WHEN excluded.last_ended >= n.last_ended THEN excluded.last_run_id ELSE n.last_run_id END,
      last_at = CASE WHEN excluded.last_ended >= n.last_ended THEN excluded.last_at ELSE n.last_at END,
      last_ended = greatest(n.last_ended, excluded.last_ended)),
counted AS (
  INSERT INTO pruned.night_counts AS n (day, job, tab, name, n)
  -- include: ../../night/sql/night_counts.sql
  ORDER BY 1, 2, 3, 4
  ON CONFLICT (day, job, tab, name) DO UPDATE SET n = n.n + excluded.n),
forgotten AS (DELETE FROM pruned.nights o WHERE o.day < (now() AT TIME ZONE 'UTC')::date - 400),
forgotten_counts AS (DELETE FROM pruned.night_counts o WHERE o.day < (now() AT TIME ZONE 'UTC')::date - 400),
reapplied AS (DELETE FROM pruned.reapply a WHERE a.run_id = ANY (ARRAY(SELECT run_id FROM old))),
remembered AS (
  INSERT INTO pruned.event_ids (run_id) SELECT run_id FROM moved WHERE parent_id IS NULL ON CONFLICT DO NOTHING)
SELECT count(*) = 1000 AS more FROM old
