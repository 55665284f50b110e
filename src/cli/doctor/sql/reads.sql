-- Existing columns of the application that this role cannot read, and schemas of the path that it
-- may not use. Reads the catalogue only.
SELECT DISTINCT 'SELECT on ' || w.relation AS missing
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
JOIN pg_namespace n ON n.nspname = :app_schema::text
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relation AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.name AND NOT a.attisdropped
WHERE NOT pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
UNION ALL
SELECT 'USAGE on schema ' || n.nspname::text FROM pg_namespace n
WHERE (n.nspname = :app_schema::text OR pg_catalog.quote_ident(n.nspname) = ANY (pg_catalog.string_to_array(pg_catalog.current_setting('search_path'), ', ')))
  AND NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE')
ORDER BY missing
