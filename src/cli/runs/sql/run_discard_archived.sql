-- The same in the archive.
UPDATE pruned.runs_done SET state = 'skipped', error = 'discarded', changed_at = now() WHERE run_id = :run_id::uuid
