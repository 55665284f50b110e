-- The text of a query for the columns of columns.sql that still refer to a user (`name`); NULL:
-- this database has none of them. Only columns that can be asked at any time: others take too long
-- in the last step. Names are quoted by format. Fast because only the catalogue is read.
WITH
-- include: columns.sql
SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS name WHERE EXISTS (SELECT FROM %I WHERE %I = :user_id::bigint)', n.tab || '.' || n.col, n.tab, n.col),
                  ' UNION ALL ' ORDER BY n.tab, n.col) AS sql
FROM named n
JOIN pg_class c ON c.oid = pg_catalog.to_regclass(pg_catalog.format('%I', n.tab))
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = n.col AND NOT a.attisdropped
WHERE
-- include: quick.sql
