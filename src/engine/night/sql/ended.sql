-- Part of a statement: runs that have ended and are not in the archive yet.
ended AS MATERIALIZED (
  SELECT r.run_id, r.job, r.scheduled_at, r.finished_at, r.result, r.rows_done
  FROM pruned.runs r WHERE r.finished_at IS NOT NULL AND r.state || '' = 'finished' AND r.range_of IS NULL)
