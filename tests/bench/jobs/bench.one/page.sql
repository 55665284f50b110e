-- The row that the tick names. By primary key.
SELECT r.id AS key, r.id
FROM bench_rows r
WHERE r.id = (:args::jsonb ->> 'id')::bigint AND r.id > :cursor.id::bigint
ORDER BY r.id
LIMIT :limit::int
