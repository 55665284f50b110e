-- Part of statements: a run as the commands read it.
run_id, job, state, step, attempts, slot, unique_key, parent_id, scheduled_at, due_at, args, cursor, created_at,
started_at, published_at, changed_at, finished_at, result, error,
held - 'version' - 'values' AS held, job_version,
CASE WHEN state = 'waiting' AND error LIKE 'blocked: %' THEN 'blocked' ELSE result ->> 'status' END AS status
