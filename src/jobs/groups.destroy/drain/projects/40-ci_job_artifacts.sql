-- Deletes artifacts of these projects and returns where their files are. Fast by (project_id).
-- `held`: where a key leads to these rows, only the rows that the step has locked
-- (../../references.sql). Rows are found once and deleted where they stand. The ctid alone does not
-- identify a row in a partitioned table, and a row that has just been moved elsewhere must stay: so
-- its parent is checked again.
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
-- The same statement records the files, so that none is forgotten; the step compares their number.
recorded AS (
  INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at, created_at)
  SELECT file_store, store_dir, file, project_id, now(), now() FROM applied WHERE file IS NOT NULL
  RETURNING true AS there
)
