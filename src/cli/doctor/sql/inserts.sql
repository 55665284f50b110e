-- Tables into which `pruned restore` inserts and this role cannot. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
SELECT DISTINCT l.rel::regclass::text AS missing FROM located l
WHERE l.name = 'RESTORE' AND NOT pg_catalog.has_table_privilege(l.rel, 'INSERT')
ORDER BY missing
