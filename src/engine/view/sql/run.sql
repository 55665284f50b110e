-- One run, from the table or the archive. If T is known, only one day of the archive is read.
SELECT
-- include: runs_columns.sql
FROM pruned.runs r WHERE run_id = :run_id::uuid AND range_of IS NULL
UNION ALL
SELECT
-- include: runs_columns.sql
FROM pruned.runs_done r
WHERE run_id = :run_id::uuid AND (:scheduled_at::timestamptz IS NULL OR scheduled_at = :scheduled_at::timestamptz)
LIMIT 1
