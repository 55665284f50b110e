-- The tables in which these runs removed or changed rows, whether they still exist, and whether
-- this role can write them.
SELECT d.table_name, d.action, pg_catalog.to_regclass(d.table_name) IS NOT NULL AS there,
       coalesce(pg_catalog.has_table_privilege(pg_catalog.to_regclass(d.table_name), CASE d.action WHEN 'deleted' THEN 'INSERT' ELSE 'UPDATE' END), true) AS may
FROM pruned.deletions d
WHERE d.run_id = ANY (:run_id::uuid[]) AND d.action <> 'forgotten' AND (:only::text IS NULL OR pg_catalog.to_regclass(d.table_name) = pg_catalog.to_regclass(:only::text))
GROUP BY d.table_name, d.action
ORDER BY d.table_name, d.action
