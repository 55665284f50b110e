-- One process retries; the back-off doubles, up to five minutes. What a guard has stopped waits for
-- an hour.
UPDATE pruned.blocked
SET tries = tries + 1, next_try_at = clock_timestamp() + CASE WHEN reason LIKE 'guard: %' THEN 3600.0::float8 ELSE least(300, 10::float8 * 2::float8 ^ least(tries + 1, 5)::float8) END * interval '1 second'
WHERE job = :job::text AND key = :key::text AND run_id = :run_id::uuid AND next_try_at = :next_try_at::timestamptz
RETURNING job
