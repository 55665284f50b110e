-- A child that backs off becomes due with its parent's tick, as other jobs do with their own; its
-- attempts stay. A child that is being claimed is left alone. Fast by the unique key of unfinished
-- runs.
WITH back AS (
  SELECT r.run_id FROM pruned.runs r
  WHERE r.unique_key = 'members.prune_deletions' AND r.state = 'waiting' AND r.error IS NOT NULL AND r.due_at > now()
  FOR NO KEY UPDATE SKIP LOCKED)
UPDATE pruned.runs r SET due_at = greatest(now(), r.scheduled_at), changed_at = clock_timestamp()
FROM back WHERE r.run_id = back.run_id
RETURNING r.run_id
