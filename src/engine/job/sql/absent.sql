-- The tables that each of these jobs needs and that this database lacks. No rows before `pruned
-- migrate`. Reads the catalogue only.
SELECT w.job, pg_catalog.string_agg(DISTINCT w.relation, ', ' ORDER BY w.relation) AS missing
FROM unnest(:job::text[], :relation::text[]) AS w (job, relation)
WHERE pg_catalog.to_regclass('pruned.schema_version') IS NOT NULL
  AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname = :app_schema::text AND c.relname = w.relation AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
GROUP BY w.job ORDER BY w.job
