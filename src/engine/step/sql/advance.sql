-- The last statement of a step: its runs are one step further, or several (look.h). A run that ends
-- gives its unique key back. An approval ends when `pruned retry` has let the run go on with
-- another version of its job: it was for what the last one of `versions` would change. A run that
-- waits for its row has done nothing yet, so it is tried with the version that the job has by then;
-- not if it was approved. An erasure that has begun cannot be withdrawn or superseded any more.
UPDATE pruned.runs r
SET step = u.step, state = u.state, cursor = coalesce(u.cursor, r.cursor), progress = coalesce(u.progress, r.progress), result = u.result, error = u.error,
    error_class = NULL, rows_leased = NULL,
    due_at = CASE WHEN u.delay_ms > 0 THEN clock_timestamp() + u.delay_ms::float8 * interval '1 ms' ELSE r.due_at END,
    unique_key = CASE WHEN u.state IN ('finished', 'dead', 'skipped') OR u.waits_for = 'runs' THEN NULL ELSE r.unique_key END,
    started_at = coalesce(r.started_at, now()), changed_at = clock_timestamp(),
    published_at = CASE WHEN u.state = 'ready' THEN clock_timestamp() ELSE r.published_at END,
    finished_at = CASE WHEN u.state IN ('finished', 'dead', 'skipped') THEN clock_timestamp() END,
    waits_for = u.waits_for,
    job_version = CASE WHEN u.waits_for IS NOT NULL AND r.approved_until IS NULL AND coalesce(r.rows_done, 0) + u.rows = 0 AND r.result -> 'versions' IS NULL
                       THEN NULL ELSE coalesce(u.version, r.job_version) END,
    approved_until = CASE WHEN r.job_version IS NULL AND r.approved_until IS NOT NULL AND coalesce(r.result -> 'versions' ->> -1 <> u.version, false)
                          THEN 'epoch' ELSE r.approved_until END,
    rows_done = CASE WHEN u.rows > 0 THEN coalesce(r.rows_done, 0) + u.rows ELSE r.rows_done END,
    rows_counted = CASE WHEN u.counted >= 0 THEN u.counted ELSE r.rows_counted END,
    rows_limit = CASE WHEN u.limited >= 0 THEN u.limited ELSE r.rows_limit END
FROM unnest(:run_id::uuid[], :step::int[], :state::text[], :cursor::jsonb[], :result::jsonb[], :error::text[], :delay_ms::bigint[],
            :rows::bigint[], :counted::bigint[], :limited::bigint[], :version::text[],
            :waits_for::text[], :progress::jsonb[])
     AS u (run_id, step, state, cursor, result, error, delay_ms, rows, counted, limited, version, waits_for, progress)
WHERE r.run_id = u.run_id
