-- Ends a run as skipped and releases its unique key. Its ranges end with it; a step of theirs is
-- waited for.
WITH ranges AS (
  UPDATE pruned.runs SET state = 'skipped', error = 'discarded', unique_key = NULL, finished_at = now(), changed_at = now()
  WHERE range_of = :run_id::uuid AND state IN ('waiting', 'ready') RETURNING 1)
UPDATE pruned.runs
SET state = 'skipped', error = 'discarded', unique_key = NULL, held = NULL, finished_at = coalesce(finished_at, now()), changed_at = now()
WHERE run_id = :run_id::uuid
