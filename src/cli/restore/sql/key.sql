-- The keys of some rows of a record.
SELECT k.n, coalesce(k.key #>> '{}', 'a row without a number') AS key
FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.keys) WITH ORDINALITY AS k (key, n)
WHERE d.run_id = :run_id::uuid AND d.tableoid = :part::oid AND d.ctid = :place::tid AND k.n = ANY (:position::bigint[])
ORDER BY k.n
