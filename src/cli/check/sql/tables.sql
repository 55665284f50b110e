-- The tables that a sentence can name without a schema (`:app_schema`), by name and as SQL writes
-- them; of other schemas with theirs. The job's own (`:relation`) is not among them. Reads the
-- catalogue only.
SELECT c.relname AS name,
       CASE WHEN n.nspname = :app_schema::text THEN pg_catalog.quote_ident(c.relname) ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END AS quoted
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'pruned')
  AND c.oid IS DISTINCT FROM pg_catalog.to_regclass(:relation::text)::oid
ORDER BY n.nspname <> :app_schema::text, c.relname
