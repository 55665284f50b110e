-- The recorded steps of these runs, or those of one table, the last first. `path`: of the file of
-- an archive that has rows of it. `bare`: none has, and a table of the step is recorded by keys
-- only. Uses the index on (run_id, step); the recorded rows themselves are not read.
SELECT d.run_id, d.step, pg_catalog.bool_or(d.rows IS NULL AND d.action <> 'forgotten' AND d.archived_in IS NULL) AND pg_catalog.max(d.archived_in) IS NULL AS bare, pg_catalog.max(d.archived_in) AS path
FROM pruned.deletions d
WHERE d.run_id = ANY (:run_id::uuid[]) AND (:only::text IS NULL OR pg_catalog.to_regclass(d.table_name) = pg_catalog.to_regclass(:only::text))
GROUP BY d.run_id, d.step
ORDER BY pg_catalog.max(d.at) DESC, d.run_id, d.step DESC
