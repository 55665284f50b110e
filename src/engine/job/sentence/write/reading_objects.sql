-- The objects of rows of {table} that have gone, each once. `sure`: it was deleted, and not left to
-- a row that named it, too: the run has deleted as many objects, or found them absent, as its rows
-- named. `stays`: a row that names it and stays. Fast by an index on {object}.
SELECT pruned_x.pruned_key AS key, 2 AS file_store, '' AS dir, pruned_x.pruned_object AS file, pruned_x.pruned_at AS at,
       (SELECT coalesce((pruned_r.result ->> 'deleted')::bigint, 0) + coalesce((pruned_r.result ->> 'absent')::bigint, 0) + coalesce((pruned_r.result ->> 'only_marked')::bigint, 0)
               - coalesce((pruned_r.result ->> 'without_object')::bigint, 0)
        FROM (SELECT result FROM pruned.runs WHERE run_id = :run_id::uuid UNION ALL SELECT result FROM pruned.runs_done WHERE run_id = :run_id::uuid) AS pruned_r LIMIT 1)
       >= (SELECT pg_catalog.count(DISTINCT pruned_e.json ->> {object_text})
           FROM pruned.deletions pruned_d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(pruned_d.rows) AS pruned_e (json)
           WHERE pruned_d.run_id = :run_id::uuid AND pruned_d.table_name = :table::text AND pruned_d.action = 'deleted') AS sure,
       (SELECT ({key})::text FROM {table} WHERE ({own}.{object})::text = pruned_x.pruned_object LIMIT 1) AS stays
FROM (
  SELECT pruned_o.pruned_object, pg_catalog.min(pruned_o.pruned_key) AS pruned_key, pg_catalog.min(extract(epoch FROM pruned_o.pruned_at))::bigint AS pruned_at
  FROM (
    SELECT pruned_g.pruned_key, pruned_g.pruned_at, pruned_g.pruned_json ->> {object_text} AS pruned_object
    FROM pruned_gone AS pruned_g (pruned_n, pruned_step, pruned_at, pruned_key, pruned_json, pruned_row)) AS pruned_o
  WHERE pruned_o.pruned_object IS NOT NULL
  GROUP BY pruned_o.pruned_object) AS pruned_x
