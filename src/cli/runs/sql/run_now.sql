-- Makes a run due that waits for its back-off, or is blocked; but no run is due before its time. No
-- row: it waits for its time, or pauses between two pages. It goes on with the version of its job
-- that a process has then; those of its steps before are in its result (`versions`), the last one
-- at the end: an approval was for it (advance.sql).
UPDATE pruned.runs r
SET due_at = greatest(now(), :earliest::timestamptz), job_version = NULL,
    result = CASE WHEN r.step > 0 AND r.job_version IS NOT NULL
             THEN pg_catalog.jsonb_set(coalesce(r.result, '{}'), '{versions}', (coalesce(r.result -> 'versions', '[]') - r.job_version) || pg_catalog.to_jsonb(r.job_version))
             ELSE r.result END,
    changed_at = now()
WHERE r.run_id = :run_id::uuid AND (r.error IS NOT NULL OR (r.attempts > 0 AND r.step = 0) OR r.due_at <= now())
RETURNING r.run_id
