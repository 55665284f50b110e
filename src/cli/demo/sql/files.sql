-- The files of the local store: those of objects whose rows are gone (every fiftieth is missing on
-- purpose), and those of job artifacts that still have a row.
SELECT o.store_dir || '/' || o.file AS path
FROM ci_deleted_objects o
WHERE o.file_store = 1 AND o.id % 50 <> 0
UNION ALL
SELECT CASE WHEN a.file_final_path <> '' THEN a.file_final_path
            ELSE pg_catalog.concat_ws('/', pg_catalog.left(p.hash, 2), pg_catalog.substr(p.hash, 3, 2), p.hash, pg_catalog.to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY_MM_DD'),
                           a.job_id, a.id, a.file) END
FROM ci_job_artifacts a, LATERAL (SELECT pg_catalog.encode(pg_catalog.sha256(a.project_id::text::bytea), 'hex')) AS p (hash)
WHERE a.file_store = 1 AND (a.file <> '' OR a.file_final_path <> '')
