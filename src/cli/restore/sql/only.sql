-- The places of one row in a record: those whose key, or whose columns, are the given ones; they
-- are those of `:in_json` if rows have them otherwise.
SELECT v.n
FROM pruned.deletions d
CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(coalesce(d.rows, :archived::jsonb -> pg_catalog.format('%s%s', d.tableoid, d.ctid) -> 'rows'))) WITH ORDINALITY AS v (key, row, n)
WHERE d.run_id = :run_id::uuid AND d.tableoid = :part::oid AND d.ctid = :place::tid
  AND CASE WHEN :in_json::jsonb IS NOT NULL AND v.row IS NOT NULL THEN v.row || :in_json::jsonb = v.row
           ELSE v.key = :key::jsonb OR (:columns::boolean AND (v.key || :key::jsonb = v.key OR coalesce(v.row || :key::jsonb = v.row, false))) END
ORDER BY v.n
