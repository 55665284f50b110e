-- The rows of one owner, in pages of one. By the index on owner and id.
SELECT r.id AS key, r.id
FROM bench_rows r
WHERE r.owner = (:args::jsonb ->> 'owner')::bigint AND r.id > :cursor.id::bigint
ORDER BY r.id
LIMIT :limit::int
