-- The text of a query for what still refers to a user (`name`): columns of columns.sql, and
-- memberships. Only columns that can be asked at any time: others take too long in the last step.
-- Names are quoted by format. Fast because only the catalogue is read; memberships are asked in two
-- halves, as in members/page.sql.
WITH
-- include: columns.sql
SELECT pg_catalog.concat_ws(' UNION ALL ',
         'SELECT ''members.user_id'' AS name WHERE EXISTS (SELECT FROM members WHERE user_id = :user_id::bigint AND requested_at IS NULL)'
         ' OR EXISTS (SELECT FROM members WHERE user_id = :user_id::bigint AND requested_at IS NOT NULL)',
         pg_catalog.string_agg(pg_catalog.format('SELECT %L AS name WHERE EXISTS (SELECT FROM %I WHERE %I = :user_id::bigint)', n.tab || '.' || n.col, n.tab, n.col),
                    ' UNION ALL ' ORDER BY n.tab, n.col)) AS sql
FROM named n
JOIN pg_class c ON c.oid = pg_catalog.to_regclass(pg_catalog.format('%I', n.tab))
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = n.col AND NOT a.attisdropped
WHERE
-- include: quick.sql
