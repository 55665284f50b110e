-- One run, from the table or the archive. If T is known, only one day of the archive is read.
SELECT run_id, job, state, step, attempts, slot, unique_key, parent_id, scheduled_at, due_at, args, cursor, created_at,
       started_at, published_at, changed_at, finished_at, result, error,
       held - 'version' - 'values' AS held, job_version,
       CASE WHEN state = 'waiting' AND error LIKE 'blocked: %' THEN 'blocked' ELSE result ->> 'status' END AS status
FROM pruned.runs WHERE run_id = :run_id::uuid AND range_of IS NULL
UNION ALL
SELECT run_id, job, state, step, attempts, slot, unique_key, parent_id, scheduled_at, due_at, args, cursor, created_at,
       started_at, published_at, changed_at, finished_at, result, error,
       held - 'version' - 'values' AS held, job_version,
       CASE WHEN state = 'waiting' AND error LIKE 'blocked: %' THEN 'blocked' ELSE result ->> 'status' END AS status
FROM pruned.runs_done
WHERE run_id = :run_id::uuid AND (:scheduled_at::timestamptz IS NULL OR scheduled_at = :scheduled_at::timestamptz)
LIMIT 1
