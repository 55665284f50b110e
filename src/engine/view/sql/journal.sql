-- Rows of the journal, the newest first, by the index on `at`. A job's rows are about the job, its
-- settings, its items or its runs.
SELECT j.at, j.role, j.os_user, j.host, j.command, j.object, j.reason
FROM pruned.journal j
CROSS JOIN LATERAL (SELECT CASE WHEN j.object ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' THEN pg_catalog.left(j.object, 36)::uuid END AS run_id) AS n
WHERE (:since::timestamptz IS NULL OR j.at >= :since::timestamptz)
  AND (:command::text IS NULL OR j.command = :command::text OR pg_catalog.starts_with(j.command, :command::text || ' '))
  AND (:job::text IS NULL OR j.object = :job::text OR pg_catalog.starts_with(j.object, :job::text || ' ')
       OR pg_catalog.starts_with(j.object, 'jobs.' || :job::text || '.') AND pg_catalog.strpos(pg_catalog.substr(j.object, pg_catalog.length(:job::text) + 7), '.') = 0
       OR n.run_id IS NOT NULL AND pg_catalog.substr(j.object, 37) = ' ' || :job::text
       OR EXISTS (SELECT FROM pruned.runs r WHERE r.run_id = n.run_id AND r.job = :job::text)
       OR EXISTS (SELECT FROM pruned.runs_done r WHERE r.run_id = n.run_id AND r.job = :job::text))
ORDER BY j.at DESC
LIMIT :limit::bigint
