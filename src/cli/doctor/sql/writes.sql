-- Existing tables of the application, of whichever schema, that this role may not use as the jobs
-- do, their schemas, and the sequences of archives. SELECT on some columns may be enough:
-- statements say which. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
,
-- include: ../../sql/filled.sql
SELECT DISTINCT l.name || ' on ' || l.rel::regclass::text AS missing
FROM located l
WHERE CASE WHEN l.name IN ('RESTORE', 'FILLS', 'SOURCE') THEN false WHEN l.name = 'SELECT' THEN NOT pg_catalog.has_any_column_privilege(l.rel, 'SELECT')
                  ELSE NOT pg_catalog.has_table_privilege(l.rel, l.name) END
UNION ALL
SELECT DISTINCT 'USAGE on schema ' || n.nspname::text FROM located l JOIN pg_namespace n ON n.oid = l.schema
WHERE n.nspname <> :app_schema::text AND NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE')
UNION ALL
SELECT DISTINCT 'USAGE on sequence ' || f.seq::regclass::text FROM filled f WHERE NOT pg_catalog.has_sequence_privilege(f.seq, 'USAGE, UPDATE')
ORDER BY missing
