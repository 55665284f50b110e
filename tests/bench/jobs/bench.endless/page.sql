-- One row more than a page has, none with a key: the cursor moves on and nothing is changed.
SELECT NULL::bigint AS key, greatest(:cursor.id::bigint, 0) + n AS id FROM generate_series(1, :limit::int) AS n
ORDER BY id
