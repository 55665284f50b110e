-- Rows that violate the constraint runs_bounds and are older than it: statements fail on them, and
-- even their times cannot be computed. They are brought inside the bounds, and are dead with the
-- reason unless they had ended. Retried by hand, such a run removes nothing, because its time is
-- the epoch. RUN_ID null: all of them, by reading every row. ERROR_CLASS: that of runs_bounds.
WITH found AS MATERIALIZED (
  SELECT r.run_id, r.finished_at IS NULL AS unfinished, pg_catalog.concat_ws(', ',
           CASE WHEN NOT (r.scheduled_at > '-infinity' AND r.scheduled_at < '200000-01-01 00:00:00+00') THEN 'scheduled_at was ' || r.scheduled_at::text END,
           CASE WHEN NOT (r.due_at > '-infinity' AND r.due_at < '200000-01-01 00:00:00+00') THEN 'due_at was ' || r.due_at::text END,
           CASE WHEN r.step NOT BETWEEN 0 AND 2000000000 THEN 'step was ' || r.step::text END,
           CASE WHEN r.attempts NOT BETWEEN 0 AND 2000000000 THEN 'attempts was ' || r.attempts::text END,
           CASE WHEN r.slot < 0 THEN 'slot was ' || r.slot::text END) AS wrong
  FROM pruned.runs r
  WHERE (:run_id::uuid IS NULL OR r.run_id = :run_id::uuid)
    AND NOT (r.scheduled_at > '-infinity' AND r.scheduled_at < '200000-01-01 00:00:00+00'
             AND r.due_at > '-infinity' AND r.due_at < '200000-01-01 00:00:00+00'
             AND r.step BETWEEN 0 AND 2000000000 AND r.attempts BETWEEN 0 AND 2000000000 AND r.slot >= 0)
  ORDER BY r.run_id
  LIMIT 100
  FOR UPDATE SKIP LOCKED)
UPDATE pruned.runs r
SET scheduled_at = CASE WHEN r.scheduled_at > '-infinity' AND r.scheduled_at < '200000-01-01 00:00:00+00' THEN r.scheduled_at ELSE 'epoch' END,
    due_at = CASE WHEN r.due_at > '-infinity' AND r.due_at < '200000-01-01 00:00:00+00' THEN r.due_at ELSE 'epoch' END,
    step = least(greatest(r.step, 0), 2000000000), attempts = least(greatest(r.attempts, 0), 2000000000), slot = greatest(r.slot, 0),
    state = CASE WHEN f.unfinished THEN 'dead' ELSE r.state END,
    error = CASE WHEN f.unfinished THEN 'the run''s row: ' || f.wrong ELSE r.error END,
    error_class = CASE WHEN f.unfinished THEN :error_class::text ELSE r.error_class END,
    unique_key = CASE WHEN f.unfinished THEN NULL ELSE r.unique_key END, held = NULL,
    finished_at = coalesce(r.finished_at, clock_timestamp()), changed_at = clock_timestamp()
FROM found f WHERE r.run_id = f.run_id
RETURNING coalesce(r.range_of, r.run_id) AS run_id, r.job, r.step, r.attempts, r.slot, r.error, 0::bigint AS scheduled_at, 0::bigint AS due_at, r.args::text AS args, r.range_of, f.unfinished AND r.range_of IS NULL AS died
