-- One key for each run: its argument n. Without that argument the page is empty.
SELECT n.id AS key, n.id
FROM (SELECT (:args::jsonb->>'n')::bigint AS id) AS n
WHERE n.id IS NOT NULL AND n.id > :cursor.id::bigint
ORDER BY n.id
LIMIT :limit::int
