-- Existing tables of the application that this role cannot write. Reads the catalogue only.
SELECT DISTINCT w.name || ' on ' || w.relation AS missing
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
JOIN pg_namespace n ON n.nspname = :app_schema::text
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relation AND c.relkind IN ('r', 'p')
WHERE CASE w.name WHEN 'RESTORE' THEN false ELSE NOT pg_catalog.has_table_privilege(c.oid, w.name) END
ORDER BY missing
