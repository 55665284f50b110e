-- Where the file of an artifact `a` is: two columns. As in the application, slashes at the end of
-- the final path are no part of it. A path of slashes alone names no file: the file is looked for
-- where it would be without one, so none is forgotten.
CASE WHEN pg_catalog.rtrim(a.file_final_path, '/') <> ''
     THEN substring(a.file_final_path FROM '^/?') || pg_catalog.regexp_replace(pg_catalog.btrim(a.file_final_path, '/'), '/*[^/]*$', '')
     ELSE (SELECT pg_catalog.concat_ws('/', pg_catalog.left(h.hash, 2), pg_catalog.substr(h.hash, 3, 2), h.hash,
                            pg_catalog.to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY_MM_DD'), a.job_id, a.id)
           FROM (SELECT pg_catalog.encode(pg_catalog.sha256(a.project_id::text::bytea), 'hex') AS hash OFFSET 0) AS h) END AS store_dir,
CASE WHEN pg_catalog.rtrim(a.file_final_path, '/') <> '' THEN pg_catalog.regexp_replace(pg_catalog.rtrim(a.file_final_path, '/'), '^.*/', '')
     ELSE nullif(a.file::text, '') END AS file
