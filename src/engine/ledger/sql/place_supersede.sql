-- Runs that only waited for a retry are superseded by newer ones.
UPDATE pruned.runs r
SET result =
    -- include: unblocked.sql
    , state = 'skipped', error = 'superseded by ' || u.successor::text, unique_key = NULL, held = NULL, finished_at = clock_timestamp(),
    changed_at = clock_timestamp()
FROM unnest(:run_id::uuid[], :successor::uuid[]) AS u (run_id, successor)
WHERE r.run_id = u.run_id
