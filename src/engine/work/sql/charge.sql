-- One of our own statements failed because of this run: charges it like a failed step, using
-- nothing but the run's row. No row: another process has moved the run. A range is not charged: its
-- run does what is left of it.
UPDATE pruned.runs r
SET state = CASE WHEN r.range_of IS NOT NULL THEN 'skipped' WHEN r.attempts >= :max_attempts::int THEN 'dead' ELSE 'waiting' END,
    attempts = least(r.attempts, 1999999999) + (r.range_of IS NULL)::int, error = :error::text,
    error_class = :error_class::text, rows_leased = NULL,
    due_at = clock_timestamp() + :delay_ms::bigint::float8 * interval '1 ms',
    unique_key = CASE WHEN r.attempts >= :max_attempts::int OR r.range_of IS NOT NULL THEN NULL ELSE r.unique_key END,
    changed_at = clock_timestamp(), finished_at = CASE WHEN r.attempts >= :max_attempts::int OR r.range_of IS NOT NULL THEN clock_timestamp() END
WHERE r.run_id = :run_id::uuid AND r.step = :step::int AND r.attempts = :attempt::int AND r.state || '' = 'ready'
RETURNING coalesce(r.range_of, r.run_id) AS run_id, r.job, r.step, r.attempts, r.slot, r.error, 0::bigint AS scheduled_at, 0::bigint AS due_at, r.args::text AS args, r.range_of, r.state = 'dead' AS died
