-- The commonest values of the column that makes the rows of a held run due, as they were counted.
-- Fast by primary key.
SELECT v.one ->> 'value' AS value, (v.one ->> 'rows')::bigint AS rows
FROM pruned.runs r CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(r.held -> 'values') WITH ORDINALITY AS v (one, n)
WHERE r.run_id = :run_id::uuid ORDER BY v.n
