-- A row that is there goes. By primary key.
SELECT k.id AS key, CASE WHEN r.id IS NULL THEN 'gone' ELSE 'removed' END AS what, NULL::text AS reason
FROM unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
LEFT JOIN bench_rows r ON r.id = k.id
ORDER BY k.pos
