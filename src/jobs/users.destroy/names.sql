-- All columns that the removal of a user names, as two lists, for ../shared/catalogue.sql. Reads no
-- table.
WITH
-- include: columns.sql
,
-- include: roots.sql
,
name AS (SELECT n.tab, n.col FROM named n UNION SELECT r.table_name, r.column_name FROM root r)
SELECT pg_catalog.array_agg(n.tab) AS tables, pg_catalog.array_agg(n.col) AS columns FROM name n
