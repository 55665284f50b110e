-- Deletes the rows. By primary key.
DELETE FROM bench_rows r
USING unnest(:key::bigint[]) AS k (id)
WHERE r.id = k.id
RETURNING r.id AS key, to_jsonb(r) AS row
