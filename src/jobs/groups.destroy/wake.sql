-- The removal of the bot that asked for this deletion can wait for its end
-- (users.destroy/asked.sql): it is due now. One that is being claimed is left alone. Fast by the
-- unique key of unfinished runs.
WITH back AS (
  SELECT r.run_id FROM pruned.runs r
  WHERE r.unique_key = 'users.destroy:' || :user::text AND r.state = 'waiting' AND r.cursor -> 'asked' = 'true' AND r.due_at > now()
  FOR NO KEY UPDATE SKIP LOCKED)
UPDATE pruned.runs r SET due_at = greatest(now(), r.scheduled_at), changed_at = clock_timestamp()
FROM back WHERE r.run_id = back.run_id
RETURNING r.run_id
