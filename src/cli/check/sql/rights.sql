-- Existing tables that this role may not use as the job does, their schemas, and the sequences of
-- an archive, with the GRANT.
-- Rights on some columns may be enough: the statements say which. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
,
-- include: ../../sql/filled.sql
,
lacking (job, relation, name, remedy) AS (
  SELECT l.job, l.rel::regclass::text, l.name, pg_catalog.format('GRANT %s ON %I.%I TO %I;', l.name, n.nspname, c.relname, current_user)
  FROM located l JOIN pg_class c ON c.oid = l.rel JOIN pg_namespace n ON n.oid = l.schema
  WHERE l.name NOT IN ('FILLS', 'SOURCE')
    AND NOT CASE l.name WHEN 'DELETE' THEN pg_catalog.has_table_privilege(l.rel, l.name) ELSE pg_catalog.has_any_column_privilege(l.rel, l.name) END
  UNION
  SELECT l.job, 'schema ' || n.nspname::text, 'USAGE', pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %I;', n.nspname, current_user)
  FROM located l JOIN pg_namespace n ON n.oid = l.schema
  WHERE NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  UNION
  SELECT f.job, 'sequence ' || f.seq::regclass::text, 'USAGE', pg_catalog.format('GRANT USAGE ON SEQUENCE %I.%I TO %I;', f.schema, f.name, current_user)
  FROM filled f WHERE NOT pg_catalog.has_sequence_privilege(f.seq, 'USAGE, UPDATE')
)
SELECT l.job, l.relation, l.name, l.remedy FROM lacking l
ORDER BY l.job, l.relation, l.name
