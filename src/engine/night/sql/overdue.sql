-- Runs that should have begun (due a minute ago, or ready and untouched for two), not counting
-- paused jobs and jobs that are off. Uses the partial indexes on waiting and ready runs.
overdue AS MATERIALIZED (
  SELECT r.job, CASE r.state WHEN 'waiting' THEN r.due_at ELSE r.changed_at END AS since
  FROM pruned.runs r
  WHERE ((r.state = 'waiting' AND r.due_at < now() - interval '1 minute')
         OR (r.state = 'ready' AND r.changed_at < now() - interval '2 minutes'))
    AND (r.error IS NULL OR r.error NOT LIKE 'mode off%') AND r.range_of IS NULL
    AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused AND coalesce(c.paused_until > now(), true))
    AND NOT EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)
)
