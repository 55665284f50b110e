-- Tables and columns that jobs need and that do not exist, a row for each job. Reads the catalogue
-- only.
SELECT w.job, pg_catalog.string_agg(DISTINCT CASE WHEN c.oid IS NULL THEN 'table ' || w.relation ELSE 'column ' || w.relation || '.' || w.name END,
                         ', ') AS missing
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
LEFT JOIN pg_namespace n ON n.nspname = :app_schema::text
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relation AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.name AND NOT a.attisdropped
WHERE a.attnum IS NULL
GROUP BY w.job
ORDER BY w.job
