-- The rows of the tick, by primary key.
SELECT s.id AS key, s.id
FROM scratch s
WHERE s.id BETWEEN (:args::jsonb ->> 'first')::bigint AND (:args::jsonb ->> 'last')::bigint AND s.id > :cursor.id::bigint
ORDER BY s.id
LIMIT :limit::int
