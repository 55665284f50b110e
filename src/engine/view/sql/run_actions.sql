-- What operators have done to a run.
SELECT j.at, j.role, j.os_user, j.host, j.command, j.object, j.reason
FROM pruned.journal j
WHERE j.object = :run_id::text OR pg_catalog.starts_with(j.object, :run_id::text || ' ')
ORDER BY j.at
