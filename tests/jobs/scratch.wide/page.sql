-- One key a run: n of its arguments; none if it has no such argument.
SELECT n.id AS key, n.id
FROM (SELECT (:args::jsonb->>'n')::bigint AS id) AS n
WHERE n.id IS NOT NULL AND n.id > :cursor.id::bigint
LIMIT :limit::int
