-- Ends a run as skipped and releases its unique key.
UPDATE pruned.runs
SET state = 'skipped', error = 'discarded', unique_key = NULL, held = NULL, finished_at = coalesce(finished_at, now()), changed_at = now()
WHERE run_id = :run_id::uuid
