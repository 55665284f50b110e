-- The text of a query for the first reference to a user, among the columns that this database has;
-- NULL: it has none of them. Only this file quotes the table and column names. Reads lazily: it
-- ends at the first table that has one.
WITH
-- include: user_references.sql
SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS "table", %L AS "column" WHERE EXISTS (SELECT FROM %I WHERE %I = :user::bigint)',
                         r.tab, r.col, r.tab, r.col), ' UNION ALL ' ORDER BY r.pos) || ' LIMIT 1' AS sql
FROM user_reference r
