-- Files of artifacts that have gone, which nothing deletes: the run has not recorded them as
-- objects. They lie where `file_final_path` says, else below the hash of their project, by the day
-- (UTC) that the artifact was made, its job and its id. An object is due when it was recorded, or
-- later, while it is leased; not asked if objects were deleted meanwhile, by runs of now or of the
-- archive. Fast by the indexes on pick_up_at and on the ends of archived runs that have taken rows.
WITH file AS MATERIALIZED (
  SELECT g.key, g.at, (g.row).project_id, (g.row).file_store,
         CASE WHEN (g.row).file_final_path <> '' THEN (g.row).file_final_path
              ELSE pg_catalog.concat_ws('/', pg_catalog.substr(h.hash, 1, 2), pg_catalog.substr(h.hash, 3, 2), h.hash, pg_catalog.to_char((g.row).created_at AT TIME ZONE 'UTC', 'YYYY_MM_DD'),
                                        (g.row).job_id, (g.row).id, (g.row).file) END AS path
  FROM pruned_gone g CROSS JOIN LATERAL (SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to((g.row).project_id::text, 'UTF8')), 'hex') AS hash) AS h
  WHERE (g.row).file <> '' OR (g.row).file_final_path <> ''
),
object AS MATERIALIZED (
  SELECT o.file_store, o.project_id, o.store_dir || '/' || o.file AS path
  FROM ci_deleted_objects o WHERE o.pick_up_at >= (SELECT pg_catalog.min(f.at) FROM file f) - interval '1 second'
)
SELECT 'ci_job_artifacts' AS tab, f.key, pg_catalog.format('has gone, and nothing deletes its file %s', f.path) AS wrong
FROM file f
WHERE NOT EXISTS (SELECT FROM object o WHERE o.file_store = f.file_store AND o.project_id = f.project_id AND o.path = f.path)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.job = 'ci.delete_objects' AND (r.finished_at IS NULL OR r.finished_at >= f.at))
  AND NOT EXISTS (SELECT FROM pruned.runs_done r WHERE r.job = 'ci.delete_objects' AND r.rows_done > 0 AND r.finished_at >= f.at)
