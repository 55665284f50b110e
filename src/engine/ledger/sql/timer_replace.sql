-- Supersedes or cancels the timers that were set before. Waits for a timer that is being stepped.
UPDATE pruned.runs r
SET result =
    -- include: unblocked.sql
    , state = 'skipped', error = u.error, unique_key = NULL, held = NULL, finished_at = clock_timestamp(), changed_at = clock_timestamp()
FROM (SELECT * FROM unnest(:unique_key::text[], :error::text[]) AS u (unique_key, error) ORDER BY 1) AS u
WHERE r.unique_key = u.unique_key
RETURNING r.run_id, r.step, r.job, r.args, r.named_table, r.context, r.error,
          (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at
