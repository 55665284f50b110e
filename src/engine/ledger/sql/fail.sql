-- A step that failed, in a transaction of its own: the run waits for its retry, or is dead.
-- Changes nothing if another process has moved the run meanwhile.
UPDATE pruned.runs r
SET state = :state::text, attempts = least(:attempts::int, 2000000000), error = :error::text,
    error_class = :error_class::text, rows_leased = NULL,
    cursor = coalesce(:cursor::jsonb, r.cursor), progress = coalesce(:progress::jsonb, r.progress), result = coalesce(:result::jsonb, r.result),
    due_at = clock_timestamp() + :delay_ms::bigint::float8 * interval '1 ms',
    unique_key = CASE WHEN :state::text IN ('finished', 'dead', 'skipped') THEN NULL ELSE r.unique_key END,
    started_at = coalesce(r.started_at, now()), changed_at = clock_timestamp(),
    finished_at = CASE WHEN :state::text IN ('finished', 'dead', 'skipped') THEN clock_timestamp() END
WHERE r.run_id = :run_id::uuid AND r.step = :step::int AND r.attempts = :attempt::int AND r.state || '' = 'ready'
RETURNING r.run_id
