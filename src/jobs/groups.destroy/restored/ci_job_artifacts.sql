-- Artifacts are restored: their files must not be deleted. Returns those for which this is too
-- late. The table of objects is read once.
WITH back AS MATERIALIZED (
  SELECT a.id, a.project_id, a.file_store,
  -- include: ../../shared/artifact_object.sql
  FROM ci_job_artifacts a WHERE a.id = ANY (:key::bigint[])
),
spared AS (
  DELETE FROM ci_deleted_objects o USING back b
  WHERE o.project_id = b.project_id AND o.file_store = b.file_store AND o.store_dir::text = b.store_dir::text AND o.file::text = b.file::text
  RETURNING b.id, o.pick_up_at > now() AS leased
)
SELECT b.id::text AS key, CASE WHEN pg_catalog.bool_or(s.leased) THEN 'its file is being deleted' ELSE 'its file has been deleted' END AS reason
FROM back b LEFT JOIN spared s ON s.id = b.id
WHERE b.file IS NOT NULL
GROUP BY b.id
HAVING pg_catalog.count(s.id) = 0 OR pg_catalog.bool_or(s.leased)
