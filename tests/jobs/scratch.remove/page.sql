-- Rows whose day is over.
SELECT s.id AS key, s.day, s.id
FROM scratch s
WHERE (s.day, s.id) < (:cursor.day::date, :cursor.id::bigint) AND s.day <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
ORDER BY s.day DESC, s.id DESC
LIMIT :limit::int
