-- Always empty.
SELECT s.id AS key, s.id FROM scratch s WHERE false AND s.id > :cursor.id::bigint ORDER BY s.id LIMIT :limit::int
