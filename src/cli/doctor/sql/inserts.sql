-- Tables into which `pruned restore` inserts and this role cannot. Reads the catalogue only.
SELECT DISTINCT w.relation AS missing
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
JOIN pg_namespace n ON n.nspname = :app_schema::text
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relation AND c.relkind IN ('r', 'p')
WHERE w.name = 'RESTORE' AND NOT pg_catalog.has_table_privilege(c.oid, 'INSERT')
ORDER BY missing
