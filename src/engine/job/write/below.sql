pruned_below AS (
  DELETE FROM {table} USING ({rows}) AS pruned_p
  WHERE {on} AND NOT EXISTS (SELECT FROM {keys} WHERE {match})
  RETURNING {key} AS key, pg_catalog.to_jsonb({own}.*) AS row{record}
),
pruned_below_audit AS (
  INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows)
  SELECT :run_id::uuid, :step::int, {table_text}, 'deleted',
         pg_catalog.to_jsonb(pg_catalog.array_agg(CASE WHEN (SELECT of_key FROM secret) THEN '"***"'
           WHEN pg_catalog.jsonb_typeof(k.key) = 'object' THEN k.key - (SELECT names FROM secret) ELSE k.key END)),
         CASE WHEN (SELECT how FROM secret) = 'full' THEN pg_catalog.to_jsonb(pg_catalog.array_agg(a.row - (SELECT names FROM secret))) END
  FROM pruned_below a, LATERAL (SELECT pg_catalog.to_jsonb(a.key) AS key) AS k
  WHERE (SELECT how FROM secret) <> 'off' HAVING pg_catalog.count(*) > 0)
