-- Candidates that are still at the same step: their messages are missing. published_at delays the
-- next look. Whoever holds a locked one is stepping it, or hangs: it is checked again later.
WITH free AS MATERIALIZED (
  SELECT r.run_id
  FROM unnest(:run_id::uuid[], :step::int[], :attempt::int[]) AS u (run_id, step, attempt)
  JOIN pruned.runs r ON r.run_id = u.run_id AND r.step = u.step AND r.attempts = u.attempt
  WHERE r.state || '' = 'ready'
  ORDER BY r.run_id
  FOR NO KEY UPDATE OF r SKIP LOCKED)
UPDATE pruned.runs r SET published_at = clock_timestamp()
FROM free WHERE r.run_id = free.run_id
RETURNING r.run_id, r.job, r.step, r.attempts, r.slot, r.args, r.cursor, r.progress,
          (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
          (extract(epoch FROM r.due_at) * 1000000.0)::bigint AS due_at
