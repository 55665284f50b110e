-- Due runs become ready, oldest first; two processes take different ones. Runs of paused jobs, and
-- of jobs that are off or that this process does not know, are left out; all, while everything is
-- stopped. A run that still has to take its unique key is left to due_keyless.sql.
WITH due AS MATERIALIZED (
  SELECT r.run_id FROM pruned.runs r
  WHERE r.state = 'waiting' AND r.due_at <= now() AND r.job = ANY (:known::text[])
    AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused AND coalesce(c.paused_until > now(), true))
    AND NOT EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)
    AND NOT (r.unique_key IS NULL AND r.waits_for IS NULL AND r.job = ANY (:keyed::text[]))
  ORDER BY r.due_at
  LIMIT 500
  FOR UPDATE SKIP LOCKED)
UPDATE pruned.runs r
SET result =
    -- include: ../../ledger/sql/unblocked.sql
    , state = 'ready', published_at = clock_timestamp(), changed_at = clock_timestamp()
FROM due WHERE r.run_id = due.run_id
RETURNING r.run_id, r.job, r.step, r.attempts, r.slot, r.args, r.cursor, r.progress,
          (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
          (extract(epoch FROM r.due_at) * 1000000.0)::bigint AS due_at
