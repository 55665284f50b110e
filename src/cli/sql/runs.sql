-- The newest matching runs of table and archive; with `:parents` only those that no run has
-- started. Each of the two is limited before they are combined.
(SELECT run_id, job, state, step, attempts, slot, unique_key, parent_id, scheduled_at, due_at, args, cursor, created_at,
        started_at, published_at, changed_at, finished_at, result, error,
       held - 'version' - 'values' AS held, job_version,
        CASE WHEN state = 'waiting' AND error LIKE 'blocked: %' THEN 'blocked' ELSE result ->> 'status' END AS status
 FROM pruned.runs
 WHERE (:job::text IS NULL OR job = :job::text) AND (:state::text IS NULL OR state = :state::text
        OR :state::text = 'blocked' AND (state = 'waiting' AND error LIKE 'blocked: %' OR result ->> 'status' = 'blocked'))
   AND (:since::timestamptz IS NULL OR created_at >= :since::timestamptz) AND (parent_id IS NULL OR NOT :parents::boolean) AND range_of IS NULL
 ORDER BY created_at DESC, run_id DESC LIMIT :limit::bigint)
UNION ALL
(SELECT run_id, job, state, step, attempts, slot, unique_key, parent_id, scheduled_at, due_at, args, cursor, created_at,
        started_at, published_at, changed_at, finished_at, result, error,
       held - 'version' - 'values' AS held, job_version,
        CASE WHEN state = 'waiting' AND error LIKE 'blocked: %' THEN 'blocked' ELSE result ->> 'status' END AS status
 FROM pruned.runs_done
 WHERE (:job::text IS NULL OR job = :job::text) AND (:state::text IS NULL OR state = :state::text
        OR :state::text = 'blocked' AND (state = 'waiting' AND error LIKE 'blocked: %' OR result ->> 'status' = 'blocked'))
   AND (:since::timestamptz IS NULL OR created_at >= :since::timestamptz) AND (parent_id IS NULL OR NOT :parents::boolean)
 ORDER BY created_at DESC, run_id DESC LIMIT :limit::bigint)
ORDER BY created_at DESC, run_id DESC LIMIT :limit::bigint
