-- A dead run repeats its step with all its attempts; one that ended blocked goes on. The step has
-- the next number, so that the run's end gets another outcome: the first one was announced. The
-- message is sent after the commit (run_send.h); if that fails, the process that has the lane finds
-- the run. A run that died before its time waits for it. It goes on with the version of its job
-- that a process has then; those of its steps before are in its result (`versions`), the last one
-- at the end: an approval was for it (advance.sql).
UPDATE pruned.runs r
SET state = CASE WHEN :earliest::timestamptz > now() THEN 'waiting' ELSE 'ready' END, attempts = 0, step = step + 1,
    result = CASE WHEN r.step > 0 AND r.job_version IS NOT NULL
             THEN pg_catalog.jsonb_set(coalesce(CASE WHEN r.state = 'finished' THEN r.result - 'status' - 'reason' ELSE r.result END, '{}'), '{versions}', (coalesce(r.result -> 'versions', '[]') - r.job_version) || pg_catalog.to_jsonb(r.job_version))
             ELSE CASE WHEN r.state = 'finished' THEN r.result - 'status' - 'reason' ELSE r.result END END, unique_key = :unique_key::text,
    error = NULL, error_class = NULL, job_version = NULL, rows_counted = NULL, rows_limit = NULL, due_at = greatest(now(), :earliest::timestamptz), finished_at = NULL,
    published_at = CASE WHEN :sent::boolean AND :earliest::timestamptz <= now() THEN clock_timestamp() END, changed_at = now()
WHERE run_id = :run_id::uuid
RETURNING run_id, state, step, attempts, slot, args, cursor, progress, (extract(epoch FROM scheduled_at) * 1000000.0)::bigint AS scheduled_at,
          (extract(epoch FROM due_at) * 1000000.0)::bigint AS due_at
