-- The places of one row in a record: those whose key, or whose columns, are the given ones.
SELECT v.n
FROM pruned.deletions d
CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) WITH ORDINALITY AS v (key, row, n)
WHERE d.run_id = :run_id::uuid AND d.tableoid = :part::oid AND d.ctid = :place::tid
  AND (v.key = :key::jsonb OR (:columns::boolean AND (v.key || :key::jsonb = v.key OR coalesce(v.row || :key::jsonb = v.row, false))))
ORDER BY v.n
