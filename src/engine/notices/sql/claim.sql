-- The oldest notice that is to be told, for a minute of this process alone. For three days it is
-- tried.
UPDATE pruned.notices n SET attempts = n.attempts + 1, next_try_at = now() + interval '1 minute'
WHERE (n.job, n.kind, n.run_id) = (
  SELECT o.job, o.kind, o.run_id FROM pruned.notices o
  WHERE o.told_at IS NULL AND o.next_try_at <= now() AND o.at > now() - interval '3 days'
  ORDER BY o.next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING n.job, n.kind, n.run_id, n.says, n.commands::text AS commands, n.at
