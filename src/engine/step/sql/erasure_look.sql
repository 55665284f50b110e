-- The runs that an erasure has started. `tried`: all rows were tried once, so the next job may
-- begin. `parked`: it waits for a row that is held (its kind, row_again.h), or that is not tried
-- again by itself, as the entry in quarantine says why. A child's T is its parent's, so one day of
-- the archive is read.
SELECT c.run_id, c.job, c.state, c.error, c.result, c.finished_at IS NOT NULL AS ended, c.finished_at IS NOT NULL OR c.waits_for IS NOT NULL AS tried,
       CASE WHEN c.finished_at IS NULL AND c.waits_for IS NOT NULL AND c.due_at > now() AND c.error LIKE 'kept: %' THEN pg_catalog.substr(c.error, 7)
            ELSE parked.reason END AS parked, c.args ? 'rows' AS rows
FROM (SELECT run_id, job, state, error, result, finished_at, waits_for, due_at, args FROM pruned.runs WHERE parent_id = :run_id::uuid
      UNION ALL
      SELECT run_id, job, state, error, result, finished_at, NULL, NULL, args FROM pruned.runs_done
      WHERE parent_id = :run_id::uuid AND scheduled_at = :scheduled_at::timestamptz) AS c
LEFT JOIN LATERAL (
  SELECT q.reason FROM pruned.quarantine q
  WHERE c.finished_at IS NULL AND q.parked AND q.item = c.waits_for AND q.job = c.job AND q.reason <> 'restored') AS parked ON true
