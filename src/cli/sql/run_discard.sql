-- Ends a run without running it; its key is free again.
UPDATE pruned.runs
SET state = 'skipped', error = 'discarded', unique_key = NULL, finished_at = coalesce(finished_at, now()), changed_at = now()
WHERE run_id = :run_id::uuid
