-- Deletes artifacts of these projects and says where their files are. Fast by (project_id).
-- `held`: where others go with them, just those that the step has locked (../../references.sql). Rows are found once and then deleted
-- where they stand. In a table of partitions a place alone says not which row, and one that has just been moved elsewhere stays: so what
-- it belongs to is asked again.
WITH held AS (SELECT nullif(pg_catalog.current_setting('pruned.held_ci_job_artifacts', true), '')::tid[] AS places),
doomed AS (
  SELECT pg_catalog.unnest(places) AS place FROM held
  UNION ALL
  SELECT a.place FROM pg_catalog.unnest(:project::bigint[]) AS p (id), LATERAL (
    SELECT a.ctid AS place FROM ci_job_artifacts a WHERE a.project_id = p.id LIMIT :limit::int) AS a
  WHERE (SELECT places FROM held) IS NULL
  LIMIT :limit::int
)
DELETE FROM ci_job_artifacts a
WHERE a.ctid = ANY (ARRAY(SELECT place FROM doomed)) AND a.project_id = ANY (:project::bigint[])
RETURNING a.id AS key, pg_catalog.to_jsonb(a.*) AS row, a.file_store, a.project_id,
-- include: ../../../shared/artifact_object.sql
-- then:
-- What has a file is recorded by the same statement, so that no file is forgotten.
recorded AS (
  INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at, created_at)
  SELECT file_store, store_dir, file, project_id, now(), now() FROM applied WHERE file IS NOT NULL
)
