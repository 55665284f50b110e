-- What became of a notice: `error` null: it was told. Else it is tried again after 10 seconds,
-- which double up to a quarter of an hour.
UPDATE pruned.notices n
SET told_at = CASE WHEN :error::text IS NULL THEN now() END, error = :error::text,
    next_try_at = now() + least(interval '10 seconds' * pg_catalog.power(2, least(n.attempts, 10) - 1), interval '15 minutes')
WHERE n.job = :job::text AND n.kind = :kind::text AND n.run_id = :run_id::text AND n.told_at IS NULL
