-- Rights on our own tables that a daemon's role needs (`:name` with `:rights`) and this role lacks.
-- Reads the catalogue only.
SELECT p.name || ' on pruned.' || c.relname::text AS missing
FROM unnest(:name::text[], :rights::text[]) AS w (name, rights)
CROSS JOIN pg_catalog.regexp_split_to_table(w.rights, ', ') AS p (name)
JOIN pg_class c ON c.relname = w.name AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pruned'
WHERE NOT pg_catalog.has_table_privilege(c.oid, p.name)
UNION ALL
SELECT 'USAGE on schema pruned' WHERE NOT pg_catalog.has_schema_privilege('pruned', 'USAGE')
ORDER BY missing
