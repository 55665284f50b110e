-- Where the file of an artifact `a` is: two columns.
CASE WHEN a.file_final_path <> ''
     THEN substring(a.file_final_path FROM '^/?') || regexp_replace(ltrim(a.file_final_path, '/'), '/*[^/]*$', '')
     ELSE (SELECT concat_ws('/', left(h.hash, 2), substr(h.hash, 3, 2), h.hash,
                            to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY_MM_DD'), a.job_id, a.id)
           FROM (SELECT encode(sha256(a.project_id::text::bytea), 'hex') AS hash OFFSET 0) AS h) END AS store_dir,
CASE WHEN a.file_final_path <> '' THEN nullif(regexp_replace(a.file_final_path, '^.*/', ''), '')
     ELSE nullif(a.file, '') END AS file
