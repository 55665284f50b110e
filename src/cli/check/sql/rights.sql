-- Existing tables that this role cannot write, with the GRANT. Reads the catalogue only.
SELECT DISTINCT w.job, w.relation, w.name,
       pg_catalog.format('GRANT %s ON %I.%I TO %I;', w.name, n.nspname, c.relname, current_user) AS remedy
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
JOIN pg_class c ON c.oid = pg_catalog.to_regclass(w.relation) AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT pg_catalog.has_table_privilege(c.oid, w.name)
ORDER BY w.job, w.relation, w.name
