-- Due runs that must take their unique key now (ticks ahead of their time, ticks of a job that was
-- paused).
SELECT r.run_id, r.job, r.args, r.attempts, r.slot, r.named_table,
       (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
       (extract(epoch FROM r.due_at) * 1000000.0)::bigint AS due_at
FROM pruned.runs r
WHERE r.state = 'waiting' AND r.due_at <= now() AND r.unique_key IS NULL AND r.waits_for IS NULL AND r.job = ANY (:keyed::text[])
  AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused AND coalesce(c.paused_until > now(), true))
  AND NOT EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)
ORDER BY r.scheduled_at, r.created_at, r.run_id
LIMIT 100
FOR UPDATE SKIP LOCKED
