-- The columns that refer to a user and that the job sees to itself, as `table.column`: those whose
-- rows go to the ghost user, and those of rows that it removes. Reads no table.
WITH
-- include: columns.sql
,
-- include: roots.sql
,
own AS (SELECT n.tab, n.col FROM named n UNION SELECT r.table_name, r.column_name FROM root r)
SELECT pg_catalog.array_agg(o.tab || '.' || o.col) AS keys FROM own o
