-- Rows whose day is over.
SELECT m.id AS key, m.id
FROM mad m
WHERE m.id > :cursor.id::bigint AND m.day <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
ORDER BY m.id
LIMIT :limit::int
