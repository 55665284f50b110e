-- One process retries; the back-off doubles, up to five minutes.
UPDATE pruned.blocked
SET tries = tries + 1, next_try_at = clock_timestamp() + least(300, 10 * 2 ^ least(tries + 1, 5)) * interval '1 second'
WHERE job = :job::text AND key = :key::text AND run_id = :run_id::uuid AND next_try_at = :next_try_at::timestamptz
RETURNING job
